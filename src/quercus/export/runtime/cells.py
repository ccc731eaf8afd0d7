# How a row of raw values becomes numbers and codes. None, NaN and the values that mean "missing" are unknown.


def _key(value):
    """What tells two values apart: 1 and 1.0 are one value, 1 and "1" two, and 1 and True two."""
    return ("boolean", value) if value is True or value is False else value


_TABLES = [{_key(value): code for code, value in enumerate(one["values"])} for one in MODEL["attributes"]]
_MISSING = [{_key(value) for value in one["missing"]} for one in MODEL["attributes"]]
_EPOCH = datetime.datetime(1970, 1, 1)


def _microseconds(value, kind):
    """A date, a time of day or a duration in microseconds."""
    if isinstance(value, str):
        value = datetime.time.fromisoformat(value) if kind == "time" else datetime.datetime.fromisoformat(value)
    if isinstance(value, datetime.time):
        return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        value -= _EPOCH
    elif isinstance(value, datetime.date):
        value = datetime.datetime(value.year, value.month, value.day) - _EPOCH
    return value // datetime.timedelta(microseconds=1)


def _number(value, attribute):
    """A number or a date as it is compared."""
    if attribute["kind"] == "date":
        return float(_microseconds(value, attribute["date_type"]))
    number = float(value)
    if math.isinf(number):
        raise ValueError(f"{attribute['name']!r} is infinite. Give a finite number, or None if it is not known.")
    return number


def _truth(value, attribute):
    """The code of True, False, 0, 1, "true" or "false"."""
    truth = {"true": 1, "false": 0}.get(value.strip().lower()) if isinstance(value, str) else value
    if truth not in (0, 1):
        raise ValueError(f"{attribute['name']!r} is {value!r}; allowed are True, False and None for unknown.")
    return int(truth)


def _cell(value, place):
    """One value as a number or a code; None: it is unknown."""
    if value is None or value != value:
        return None
    attribute = MODEL["attributes"][place]
    if _MISSING[place] and _key(value) in _MISSING[place]:
        return None
    if attribute["kind"] in ("numeric", "date"):
        return _number(value, attribute)
    if attribute["kind"] == "boolean":
        return _truth(value, attribute)
    return _TABLES[place].get(_key(value))


def _encoded(row):
    """A row of raw values by name as numbers and codes, one for each attribute that the model asks for."""
    cells = []
    for place, attribute in enumerate(MODEL["attributes"]):
        if attribute["name"] not in row:
            raise KeyError(f"The row has no {attribute['name']!r}; give None if its value is not known.")
        cells.append(_cell(row[attribute["name"]], place))
    return cells


def predict_proba(row):
    """The shares of the classes, in the order of CLASSES, for a row: a dict of raw values by name (None: unknown)."""
    if MODEL["classes"] is None:
        raise TypeError("This model answers numbers; call predict.")
    return _answer(MODEL, _encoded(row))[0]


def predict(row):
    """The class, or the number, for a row: a dict of raw values by name (None: unknown)."""
    answer = _answer(MODEL, _encoded(row))[1]
    return answer if MODEL["classes"] is None else MODEL["classes"][answer]
