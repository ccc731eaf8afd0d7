// The rules as a model: what they answer, which rule decides a case, and which rules vote.

class RuleModel {
  constructor(data, tree) {
    Object.assign(this, data.rules);
    const { classes, costs } = data;
    if (this.node_answers) this.member.tree = { ...tree.routes, answers: this.node_answers };
    this.model = { classes, costs, together: false, members: [this.member] };
  }

  // The first condition of a rule that a case does not fulfil; -1: it fulfils all.
  failing(place, row) {
    return this.member.rules[place].findIndex((test) => !fulfilsTest(test, row));
  }

  // {shares, label (position of a class), fired (position of a rule, -1: the default), votes, byTree}
  decide(row) {
    const [shares, label] = answerOf(this.model, row);
    const covering = this.rows.map((_, place) => place).filter((place) => this.failing(place, row) < 0);
    if (this.mode === "voting") return { shares, label, fired: this.strongest(covering, row), votes: covering };
    const byTree = !covering.length && Boolean(this.member.tree);
    const fired = byTree ? this.rule_of_node[this.heaviestEnd(row)] : covering.length ? covering[0] : -1;
    return { shares, label, fired, votes: [], byTree };
  }

  // Of the rules that vote for the class that wins, the strongest; of numbers the first.
  strongest(votes, row) {
    if (!this.classes) return votes.length ? votes[0] : -1;
    const { labels, strengths } = this.member;
    const winner = ruleAnswer(this.member, row, this.classes)[1];
    const agreeing = votes.filter((place) => labels[place] === winner);
    return agreeing.reduce((a, b) => (a < 0 || strengths[b] > strengths[a] ? b : a), -1);
  }

  heaviestEnd(row) {
    return endsOf(this.member.tree, row).reduce((a, b) => (b[1] > a[1] ? b : a))[0];
  }
}
