# How the tables above answer a row. The sums are added up in the order in which Quercus adds them, so that the numbers
# are the same to the last bit.

TIE = 1e-12


def _branch(tree, ask, row):
    """The branch of a row at a question; -1: its value is unknown, or has none."""
    attribute, cut, table, swapped = tree["asks"][ask]
    value = row[attribute]
    if value is None:
        return -1
    if cut is None:
        codes = tree["tables"][table]
        return codes[value] if value < len(codes) else -1
    return (0 if value <= cut else 1) ^ swapped


def _follow(tree, row):
    """The nodes where a row ends, each with the part of the row that ends there."""
    stack, ends = [(0, 1.0)], []
    surrogates = tree.get("surrogates", {})
    while stack:
        node, part = stack.pop()
        ask = tree["ask"][node]
        while ask >= 0:
            branch = _branch(tree, ask, row)
            for other in surrogates.get(node, ()):
                if branch >= 0:
                    break
                branch = _branch(tree, other, row)
            if branch < 0:
                branch = tree["missing"][node]
            if branch < 0:
                break
            node = tree["first"][node] + branch
            ask = tree["ask"][node]
        if ask < 0:
            ends.append((node, part))
            continue
        first = tree["first"][node]
        children = range(first, first + tree["size"][node])
        parts = [(child, part * tree["share"][child]) for child in children]
        parts = [one for one in parts if one[1] > 0.0]
        if parts:
            stack.extend(reversed(parts))
        else:
            ends.append((node, part))
    return ends


def _tree_answer(tree, row):
    """What a tree answers: the class shares, or a number alone."""
    ends = _follow(tree, row)
    if len(ends) == 1 and ends[0][1] == 1.0:
        return list(tree["answers"][tree["answer"][ends[0][0]]])
    result = [0.0] * len(tree["answers"][0])
    for node, part in ends:
        for place, number in enumerate(tree["answers"][tree["answer"][node]]):
            result[place] += part * number
    return result


def _fulfils(test, row):
    """Whether a row fulfils a condition of a rule."""
    value = row[test["attribute"]]
    if value is None:
        return test.get("unknown", False)
    if "codes" in test:
        return value in test["codes"]
    return not ("above" in test and value <= test["above"]) and not ("up_to" in test and value > test["up_to"])


def _chosen(shares, costs=None, threshold=None):
    """The position of the class to answer: the most likely, of least expected cost, or by a threshold."""
    if threshold is not None:
        return 1 if shares[1] >= threshold - TIE else 0
    scores, tie = shares, TIE
    if costs is not None:
        places = range(len(shares))
        scores = [-sum(shares[i] * costs[i][j] for i in places) for j in places]
        tie = TIE * max(1.0, max(abs(cost) for line in costs for cost in line))
    if len(scores) == 2:
        return 1 if scores[1] > scores[0] + tie else 0
    least = max(scores) - tie
    return next(place for place, score in enumerate(scores) if score >= least)


def _vote(member, row, classes):
    """The shares of the votes of all rules that cover a row, and the class of most votes."""
    covering = [place for place, tests in enumerate(member["rules"]) if all(_fulfils(test, row) for test in tests)]
    sums, total = [0.0] * len(member["answers"][0]), 0.0
    for place in covering:
        strength, label = member["strengths"][place], member["labels"][place]
        if classes:
            sums[label] += strength
        else:
            sums[0] += strength * label
        total += strength
    default = member["labels"][-1]
    if not total > 0.0:
        shares = list(member["answers"][-1])
    else:
        shares = [number / total for number in sums]
    if not classes:
        return shares, shares[0]
    return shares, default if shares[default] >= max(shares) - TIE else _chosen(shares)


def _rule_answer(member, row, classes):
    """What a rule list answers: shares (or a number alone), and the position of the class (or the number)."""
    if member["mode"] == "voting":
        return _vote(member, row, classes)
    for place, tests in enumerate(member["rules"]):
        if all(_fulfils(test, row) for test in tests):
            return list(member["answers"][place]), member["labels"][place]
    if "tree" not in member:
        return list(member["answers"][-1]), member["labels"][-1]
    shares = _tree_answer(member["tree"], row)
    return shares, _chosen(shares, member["costs"], member["threshold"]) if classes else shares[0]


def _answer(model, row):
    """The shares (or the number) of an encoded row, and the position of its class (or the number)."""
    classes, members = model["classes"], model["members"]
    if not model["together"]:
        member = members[0]
        if "rules" in member:
            shares, label = _rule_answer(member, row, classes)
            by_costs = classes and model["costs"] is not None
            return shares, _chosen(shares, model["costs"]) if by_costs else label
        shares = _tree_answer(member, row)
    else:
        shares, used = [0.0] * (len(classes) if classes else 1), 0.0
        for member, weight in zip(members, model["weights"]):
            if "rules" in member:
                answer, label = _rule_answer(member, row, classes)
            else:
                answer = _tree_answer(member, row)
                label = _chosen(answer) if model["majority"] else None
            if model["majority"]:
                answer = [1.0 if place == label else 0.0 for place in range(len(answer))]
            for place, number in enumerate(answer):
                shares[place] += weight * number
            used += weight
        shares = [number / used for number in shares]
    return shares, _chosen(shares, model["costs"], model["threshold"]) if classes else shares[0]
