// The rules as a model: which rule decides a case, or how all that match vote.

class RuleModel {
  constructor(data, tree) {
    Object.assign(this, data.rules);
    this.costs = data.costs;
    this.tree = this.node_answers ? tree : null;
  }

  // The first condition of a rule that a case does not fulfil; -1: it fulfils all.
  failing(place, row) {
    return this.rows[place].tests.findIndex((test) => !(fulfils(test, row) ?? test.unknown));
  }

  // {shares, label (position of a class), fired (position of a rule, -1: the default), votes, visits}
  decide(row) {
    return this.mode === "voting" ? this.vote(row) : this.first(row);
  }

  first(row) {
    const fired = this.rows.findIndex((_, place) => this.failing(place, row) < 0);
    if (fired >= 0 || !this.tree) {
      const place = fired >= 0 ? fired : this.rows.length;
      return this.answered(this.answers[place], this.consequents[place], fired, []);
    }
    const visits = follow(this.tree, row);
    const shares = mixed(visits, (node) => this.node_answers[node]);
    const end = visits.filter((visit) => visit.ends).reduce((a, b) => (b.share > a.share ? b : a));
    return { ...this.answered(shares, this.classes ? chosenClass(shares) : shares[0], this.rule_of_node[end.node], []), visits };
  }

  vote(row) {
    const votes = this.rows.map((_, place) => place).filter((place) => this.failing(place, row) < 0);
    const shares = this.answers[this.rows.length].map(() => 0);
    let total = 0;
    for (const place of votes) {
      const strength = this.strengths[place];
      if (this.classes) shares[this.consequents[place]] += strength;
      else shares[0] += strength * this.consequents[place];
      total += strength;
    }
    if (!(total > 0)) return this.answered(this.answers[this.rows.length], this.default, -1, []);
    const result = shares.map((share) => share / total);
    if (!this.classes) return this.answered(result, result[0], votes[0], votes);
    const most = Math.max(...result);
    const label = result[this.default] >= most - TIE ? this.default : chosenClass(result);
    const agreeing = votes.filter((place) => this.consequents[place] === label);
    const fired = agreeing.reduce((a, b) => (a < 0 || this.strengths[b] > this.strengths[a] ? b : a), -1);
    return this.answered(result, label, fired, votes);
  }

  answered(shares, label, fired, votes) {
    return { shares, label: this.costs && this.classes ? chosenClass(shares, this.costs) : label, fired, votes };
  }
}
