/* How the tables answer a row. The sums are added up in the order in which Quercus adds them, so that the numbers are the
 * same to the last bit. Compile with -std=c99 (or with -ffp-contract=off), and without -ffast-math. */

#define TIE 1e-12

/* The branch of a row at a question; -1: its value is unknown, or has none. */
static int branch_of(const struct ask *ask, const double *row) {
  double value = row[ask->attribute];
  if (isnan(value)) return -1;
  if (ask->table) return value >= 0 && value < ask->size ? ask->table[(int)value] : -1;
  return (value <= ask->cut ? 0 : 1) ^ ask->swapped;
}

/* The branch that a row takes at a node: by its value, a surrogate or the branch of the unknown; -1: by shares. */
static int branch_at(const struct tree *tree, int node, const double *row) {
  int branch = branch_of(&tree->asks[tree->ask[node]], row), other;
  if (tree->surrogate_start)
    for (other = tree->surrogate_start[node]; branch < 0 && other < tree->surrogate_start[node + 1]; other++)
      branch = branch_of(&tree->asks[other], row);
  return branch < 0 ? tree->missing[node] : branch;
}

/* Adds what the part of a row that is at a node ends up with. */
static void add_answer(const struct tree *tree, int node, double part, const double *row, double *sums) {
  int branch, child, place, spread = 0;
  while (tree->ask[node] >= 0) {
    branch = branch_at(tree, node, row);
    if (branch >= 0) {
      node = tree->first[node] + branch;
      continue;
    }
    for (child = tree->first[node]; child < tree->first[node] + tree->size[node]; child++) {
      double share = part * tree->share[child];
      if (share > 0) {
        add_answer(tree, child, share, row, sums);
        spread = 1;
      }
    }
    if (spread) return;
    break;
  }
  for (place = 0; place < SAID; place++) sums[place] += part * tree->answers[tree->answer[node] * SAID + place];
}

static void tree_answer(const struct tree *tree, const double *row, double *shares) {
  int place;
  for (place = 0; place < SAID; place++) shares[place] = 0.0;
  add_answer(tree, 0, 1.0, row, shares);
}

/* The position of the class to answer: the most likely, that of least expected cost, or by a threshold (NaN: none). */
static int chosen(const double *shares, const double *costs, double threshold) {
  double scores[WIDTH], tie = TIE, most;
  int i, j;
  if (!isnan(threshold)) return shares[WIDTH > 1] >= threshold - TIE;
  for (j = 0; j < WIDTH; j++) {
    double sum = 0.0;
    if (costs)
      for (i = 0; i < WIDTH; i++) sum += shares[i] * costs[i * WIDTH + j];
    scores[j] = costs ? -sum : shares[j];
  }
  if (costs) {
    most = 1.0;
    for (i = 0; i < WIDTH * WIDTH; i++)
      if (fabs(costs[i]) > most) most = fabs(costs[i]);
    tie = TIE * most;
  }
  if (WIDTH == 2) return scores[WIDTH > 1] > scores[0] + tie;
  most = scores[0];
  for (j = 1; j < WIDTH; j++)
    if (scores[j] > most) most = scores[j];
  for (j = 0; j < WIDTH; j++)
    if (scores[j] >= most - tie) return j;
  return 0;
}

static int fulfils(const struct test *test, const double *row) {
  double value = row[test->attribute];
  int i;
  if (isnan(value)) return test->unknown;
  if (!test->codes) return value > test->above && value <= test->up_to;
  for (i = 0; i < test->size; i++)
    if (value == test->codes[i]) return 1;
  return 0;
}

static int covers(const struct rules *rules, int rule, const double *row) {
  int i;
  for (i = rules->start[rule]; i < rules->start[rule + 1]; i++)
    if (!fulfils(&rules->tests[i], row)) return 0;
  return 1;
}

static int vote(const struct rules *rules, const double *row, double *shares) {
  double total = 0.0;
  int i, label, usual = (int)rules->labels[rules->count];
  for (i = 0; i < WIDTH; i++) shares[i] = 0.0;
  for (i = 0; i < rules->count; i++) {
    if (!covers(rules, i, row)) continue;
    if (CLASSES)
      shares[(int)rules->labels[i]] += rules->strengths[i];
    else
      shares[0] += rules->strengths[i] * rules->labels[i];
    total += rules->strengths[i];
  }
  for (i = 0; i < WIDTH; i++) shares[i] = total > 0 ? shares[i] / total : rules->answers[rules->count * WIDTH + i];
  if (!CLASSES) return 0;
  label = usual;
  for (i = 0; i < WIDTH; i++)
    if (!(shares[usual] >= shares[i] - TIE)) label = -1;
  return label >= 0 ? label : chosen(shares, 0, NAN);
}

/* What a rule list answers; the position of the class. */
static int rule_answer(const struct rules *rules, const double *row, double *shares) {
  int i, place;
  if (rules->voting) return vote(rules, row, shares);
  for (place = 0; place < rules->count; place++)
    if (covers(rules, place, row)) break;
  if (place == rules->count && rules->tree) {
    tree_answer(rules->tree, row, shares);
    return CLASSES ? chosen(shares, rules->costs, rules->threshold) : 0;
  }
  for (i = 0; i < WIDTH; i++) shares[i] = rules->answers[place * WIDTH + i];
  return CLASSES ? (int)rules->labels[place] : 0;
}

static int member_answer(const struct member *member, const double *row, double *shares) {
  if (member->rules) return rule_answer(member->rules, row, shares);
  tree_answer(member->tree, row, shares);
  return MAJORITY ? chosen(shares, 0, NAN) : 0;
}

/* The same where the members' numbers are added up to scores; a link (1: none, 2: exp, 3: softmax) turns them into the
 * answer. */
static int scored_answer(const double *row, double *shares) {
  double sums[WIDTH], said[SAID], largest = 0.0, total = 0.0;
  int i, place;
  for (place = 0; place < WIDTH; place++) sums[place] = 0.0;
  for (i = 0; i < MEMBERS; i++) {
    tree_answer(members[i].tree, row, said);
    sums[score_places[i]] += members[i].weight * said[0];
  }
  for (place = 0; place < WIDTH; place++) {
    sums[place] = score_base[place] + sums[place];
    if (LINK == 3 && (place == 0 || sums[place] > largest)) largest = sums[place];
  }
  for (place = 0; place < WIDTH; place++) {
    shares[place] = LINK == 1 ? sums[place] : exp(sums[place] - largest);
    total += shares[place];
  }
  for (place = 0; LINK == 3 && place < WIDTH; place++) shares[place] /= total;
  if (!CLASSES) return 0;
  return BY_SCORES ? chosen(sums, 0, NAN) : chosen(shares, costs, THRESHOLD);
}

int PREFIX(predict)(const double *row, double *shares) {
  double said[WIDTH], used = 0.0;
  int i, place, label;
  if (LINK) return scored_answer(row, shares);
  if (!TOGETHER) {
    label = member_answer(&members[0], row, shares);
    if (!CLASSES) return 0;
    return members[0].rules && !costs ? label : chosen(shares, costs, members[0].rules ? NAN : THRESHOLD);
  }
  for (place = 0; place < WIDTH; place++) shares[place] = 0.0;
  for (i = 0; i < MEMBERS; i++) {
    label = member_answer(&members[i], row, said);
    for (place = 0; place < WIDTH; place++) {
      if (MAJORITY) said[place] = place == label ? 1.0 : 0.0;
      shares[place] += members[i].weight * said[place];
    }
    used += members[i].weight;
  }
  for (place = 0; place < WIDTH; place++) shares[place] /= used;
  return CLASSES ? chosen(shares, costs, THRESHOLD) : 0;
}

/* Reads a cell from a text: 0 and the number or the code (NAN: unknown); 1: the text is no number or truth value, and
 * the cell is NAN. Dates are microseconds since 1970. A null pointer and
 * the texts that mean "missing" are unknown, and so is a value that the model has never seen. */
int PREFIX(encode)(int attribute, const char *text, double *cell) {
  const struct column *column = &columns[attribute];
  char *end;
  int i;
  *cell = NAN;
  if (!text) return 0;
  for (i = 0; i < column->n_missing; i++)
    if (!strcmp(text, column->missing[i])) return 0;
  if (column->boolean) {
    if (!strcmp(text, "true") || !strcmp(text, "True") || !strcmp(text, "1")) *cell = 1;
    if (!strcmp(text, "false") || !strcmp(text, "False") || !strcmp(text, "0")) *cell = 0;
    return isnan(*cell);
  }
  if (column->values) {
    for (i = 0; i < column->n_values; i++)
      if (!strcmp(text, column->values[i])) *cell = i;
    return 0;
  }
  *cell = strtod(text, &end);
  if (end != text && *end == 0 && !isinf(*cell)) {
    for (i = 0; i < column->n_missing; i++)
      if (strtod(column->missing[i], &end) == *cell && end != column->missing[i] && *end == 0) *cell = NAN;
    return 0;
  }
  *cell = NAN;
  return 1;
}
