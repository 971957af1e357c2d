package io.uniserve.port.mongodb.pipeline;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Stage {@code $group} in two halves: the actors group their documents, and the merging stages group the partial results. Not thread-safe.
 *
 * <p>Each accumulator of the user has a partial field {@code a0}, {@code a1}, ... The merge is exact for the accumulators below, up to the
 * last digits of doubles. Others, and forms that the engine refuses, are not split.
 */
final class GroupSplit {
    /** Accumulators whose partial results can be accumulated again, also if one comes several times in a row. */
    private static final Set<String> REPEATABLE = Set.of("$min", "$max", "$first", "$last", "$mergeObjects");

    /** Accumulators of arrays, and the expression that joins two of their results. */
    private static final Map<String, String> JOINED = Map.of("$push", "$concatArrays", "$addToSet", "$setUnion");

    /** Accumulators that are also expressions, which select from all partial arrays together. */
    private static final Set<String> SELECTING = Set.of("$firstN", "$lastN", "$minN", "$maxN");

    private static final Set<String> DEVIATIONS = Set.of("$stdDevPop", "$stdDevSamp");
    private static final Set<String> BEST = Set.of("$top", "$bottom");
    private static final Set<String> BEST_N = Set.of("$topN", "$bottomN");

    private static final String PARTIAL = "a";
    private static final String COUNT_SUFFIX = "n";
    private static final String MEAN_SUFFIX = "m";

    /** Partial field: the elements of the one list of best documents; each is a document of its own after {@code $unwind}. */
    private static final String ELEMENT = "e";

    /** Field after {@code $unwind}: the index of the element. */
    private static final String INDEX = "i";

    private static final String OUTPUT = "o";
    private static final String SORT_FIELDS = "s";

    /** Factor of values before they are averaged, a power of 2: so the sum of large doubles is finite. */
    private static final double MEAN_SCALE = 0x1p-50;

    private final BsonDocument partial = new BsonDocument();
    private final BsonDocument merged = new BsonDocument();
    /** Fields that a stage computes between {@link #merged} and {@link #result}. */
    private final BsonDocument totals = new BsonDocument();

    private final BsonDocument result = new BsonDocument();
    /** The {@code $topN} or {@code $bottomN} that all such fields share, without output; empty for none. */
    private final BsonDocument list = new BsonDocument();

    private final BsonDocument listOutputs = new BsonDocument();
    private final boolean unwinds;

    private GroupSplit(boolean unwinds) {
        this.unwinds = unwinds;
    }

    /**
     * Lets the actors group, if all accumulators permit it.
     *
     * @param actors stages of the actors, to which theirs is added
     * @param merge merging stages that begin with the {@code $group}, which is replaced
     */
    static void apply(List<BsonDocument> actors, List<BsonDocument> merge) {
        BsonValue body = merge.get(0).get("$group");
        if (body == null || !body.isDocument() || !body.asDocument().containsKey("_id")) {
            return; // the engine refuses it
        }
        boolean unwinds = body.asDocument().values().stream()
                .anyMatch(field -> field.isDocument()
                        && field.asDocument().keySet().stream().anyMatch(BEST_N::contains));
        GroupSplit split = new GroupSplit(unwinds);
        if (split.addAll(body.asDocument())) {
            actors.add(split.actorStage());
            merge.remove(0);
            merge.addAll(0, split.mergingStages());
        }
    }

    private boolean addAll(BsonDocument body) {
        partial.put("_id", body.get("_id"));
        merged.put("_id", new BsonString("$_id"));
        int number = 0;
        for (Map.Entry<String, BsonValue> field : body.entrySet()) {
            String name = field.getKey();
            if (name.equals("_id")) {
                continue;
            }
            boolean plain = !name.contains(".") && !name.startsWith("$");
            if (!plain
                    || !field.getValue().isDocument()
                    || field.getValue().asDocument().size() != 1) {
                return false; // the engine refuses it
            }
            String accumulator = field.getValue().asDocument().getFirstKey();
            BsonValue input = field.getValue().asDocument().getOrDefault(accumulator, BsonNull.VALUE);
            Optional<BsonValue> value = add(PARTIAL + number++, accumulator, input);
            if (value.isEmpty()) {
                return false;
            }
            result.put(name, value.get());
        }
        return true;
    }

    private BsonDocument actorStage() {
        if (unwinds) {
            String operator = list.getFirstKey();
            BsonDocument body = list.getDocument(operator).clone();
            body.put("output", output(listOutputs, body.getDocument("sortBy")));
            partial.put(ELEMENT, new BsonDocument(operator, body));
        }
        return new BsonDocument("$group", partial);
    }

    private List<BsonDocument> mergingStages() {
        List<BsonDocument> stages = new ArrayList<>();
        if (unwinds) {
            BsonDocument unwind =
                    new BsonDocument("path", field(ELEMENT)).append("includeArrayIndex", new BsonString(INDEX));
            stages.add(new BsonDocument("$unwind", unwind));
        }
        stages.add(new BsonDocument("$group", merged));
        if (!totals.isEmpty()) {
            stages.add(new BsonDocument("$addFields", totals));
        }
        if (!result.isEmpty()) {
            stages.add(new BsonDocument("$project", result));
        }
        return stages;
    }

    /** Adds the partial and the merged fields of an accumulator. Returns the expression of its result; empty if it is not split. */
    private Optional<BsonValue> add(String name, String accumulator, BsonValue input) {
        if (REPEATABLE.contains(accumulator)) {
            partial.put(name, new BsonDocument(accumulator, input));
            merged.put(name, new BsonDocument(accumulator, field(name)));
            return Optional.of(field(name));
        } else if (accumulator.equals("$sum")) {
            addSum(name, input);
            return Optional.of(field(name));
        } else if (accumulator.equals("$avg")) {
            addSum(name, input);
            addSum(name + COUNT_SUFFIX, numberOrElse(input, new BsonInt32(1), new BsonInt32(0)));
            return Optional.of(average(name, name + COUNT_SUFFIX));
        } else if (accumulator.equals("$count")) {
            boolean empty = input.isDocument() && input.asDocument().isEmpty();
            addSum(name, new BsonInt32(1));
            return empty ? Optional.of(field(name)) : Optional.empty();
        } else if (JOINED.containsKey(accumulator)) {
            partial.put(name, new BsonDocument(accumulator, input));
            merged.put(name, push(field(name), new BsonArray()));
            return Optional.of(joined(name, JOINED.get(accumulator)));
        } else if (DEVIATIONS.contains(accumulator)) {
            return Optional.of(addDeviation(name, accumulator.equals("$stdDevSamp"), input));
        }
        return input.isDocument() ? addSelection(name, accumulator, input.asDocument()) : Optional.empty();
    }

    private Optional<BsonValue> addSelection(String name, String accumulator, BsonDocument input) {
        if (SELECTING.contains(accumulator)) {
            if (!hasOnly(input, "input", "n") || !isConstant(input)) {
                return Optional.empty();
            }
            partial.put(name, new BsonDocument(accumulator, input));
            merged.put(name, push(field(name), new BsonArray()));
            BsonDocument all = joined(name, "$concatArrays");
            BsonDocument selection = new BsonDocument("input", all).append("n", input.get("n"));
            return Optional.of(new BsonDocument(accumulator, selection));
        }
        boolean isList = BEST_N.contains(accumulator);
        if (!isList && !BEST.contains(accumulator)) {
            return Optional.empty();
        }
        boolean complete = isList
                ? hasOnly(input, "n", "output", "sortBy") && isConstant(input)
                : hasOnly(input, "output", "sortBy");
        if (!complete || !isByFields(input.getOrDefault("sortBy", BsonNull.VALUE))) {
            return Optional.empty();
        }
        BsonDocument order = input.clone();
        BsonValue output = order.remove("output");
        BsonDocument selection = new BsonDocument(accumulator, order);
        String element;
        if (isList) {
            // Each list that is unwound multiplies the documents of the merge, so there is one.
            if (list.isEmpty()) {
                list.putAll(selection);
            } else if (!isSame(list, selection)) {
                return Optional.empty();
            }
            listOutputs.put(name, output);
            element = ELEMENT;
        } else {
            BsonDocument outputs = output(new BsonDocument(name, output), order.getDocument("sortBy"));
            partial.put(name, new BsonDocument(accumulator, order.clone().append("output", outputs)));
            element = name;
        }
        BsonDocument again = order.clone();
        again.put("sortBy", below(element + "." + SORT_FIELDS + ".", order.getDocument("sortBy")));
        again.put("output", field(element + "." + OUTPUT + "." + name));
        merged.put(name, new BsonDocument(accumulator, again));
        return Optional.of(field(name));
    }

    /** Whether two lists select the same. The order of the fields to sort by matters, and {@code equals} of documents ignores it. */
    private static boolean isSame(BsonDocument one, BsonDocument other) {
        return one.toJson().equals(other.toJson());
    }

    private static boolean hasOnly(BsonDocument input, String... fields) {
        return input.keySet().equals(Set.of(fields));
    }

    /** Whether the number of selected values is the same for all groups. An expression may depend on the group. */
    private static boolean isConstant(BsonDocument input) {
        return input.getOrDefault("n", BsonNull.VALUE).isNumber();
    }

    /** Whether documents are ordered by fields alone, which the partial results can carry. */
    private static boolean isByFields(BsonValue sort) {
        return sort.isDocument()
                && sort.asDocument().entrySet().stream()
                        .allMatch(key -> key.getValue().isNumber()
                                && !first(key.getKey()).isEmpty()
                                && !first(key.getKey()).startsWith("$"));
    }

    private static String first(String path) {
        return path.split("\\.", 2)[0];
    }

    /** Output of an actor: the outputs of the user's fields, and the fields to sort by, whole, because arrays have an order of their own. */
    private static BsonDocument output(BsonDocument outputs, BsonDocument sort) {
        BsonDocument fields = new BsonDocument();
        sort.keySet().forEach(path -> fields.put(first(path), field(first(path))));
        return new BsonDocument(OUTPUT, outputs).append(SORT_FIELDS, fields);
    }

    private static BsonDocument below(String prefix, BsonDocument sort) {
        BsonDocument moved = new BsonDocument();
        sort.forEach((path, direction) -> moved.put(prefix + path, direction));
        return moved;
    }

    private void addSum(String name, BsonValue input) {
        partial.put(name, new BsonDocument("$sum", input));
        merged.put(name, new BsonDocument("$sum", once(field(name), BsonNull.VALUE)));
    }

    /** Collects the partial values. The other documents of an unwound partial result add a value that changes nothing. */
    private BsonDocument push(BsonValue value, BsonValue neutral) {
        return new BsonDocument("$push", once(value, neutral));
    }

    /** The value in the first of the documents that {@code $unwind} makes of a partial result. */
    private BsonValue once(BsonValue value, BsonValue otherwise) {
        return unwinds ? condition(call("$eq", field(INDEX), new BsonInt32(0)), value, otherwise) : value;
    }

    /**
     * Adds a standard deviation, by the formula with which MongoDB merges the results of shards (Chan et al.): count, mean, and sum of
     * squared deviations, which is the square of the deviation times the count.
     */
    private BsonValue addDeviation(String name, boolean isSample, BsonValue input) {
        partial.put(name, new BsonDocument("$stdDevPop", input));
        partial.put(
                name + COUNT_SUFFIX, new BsonDocument("$sum", numberOrElse(input, new BsonInt32(1), new BsonInt32(0))));
        BsonValue scaled = call("$multiply", toDouble(input), new BsonDouble(MEAN_SCALE));
        partial.put(name + MEAN_SUFFIX, new BsonDocument("$avg", numberOrElse(input, scaled, BsonNull.VALUE)));
        BsonDocument part = new BsonDocument("n", field(name + COUNT_SUFFIX))
                .append("m", call("$multiply", field(name + MEAN_SUFFIX), new BsonDouble(1 / MEAN_SCALE)))
                .append("s", field(name));
        merged.put(name, push(part, new BsonDocument("n", new BsonInt32(0))));

        BsonDocument count = call("$add", text("$$value.n"), text("$$this.n"));
        BsonDocument delta = call("$subtract", text("$$this.m"), text("$$value.m"));
        BsonDocument weight = call("$divide", call("$multiply", text("$$value.n"), text("$$this.n")), count);
        BsonDocument step = call("$multiply", delta, call("$divide", text("$$this.n"), count));
        BsonDocument squares = call(
                "$add",
                text("$$value.q"),
                call("$multiply", text("$$this.n"), call("$multiply", text("$$this.s"), text("$$this.s"))),
                // From right to left, so that the first part with its weight 0 adds 0 also if its mean is large.
                call("$multiply", delta, call("$multiply", delta, weight)));
        BsonDocument sum = new BsonDocument("n", count)
                .append("m", call("$add", text("$$value.m"), step))
                .append("q", squares);
        BsonDocument start = new BsonDocument("n", new BsonInt32(0))
                .append("m", new BsonDouble(0))
                .append("q", new BsonDouble(0));
        BsonDocument isEmpty = call("$eq", text("$$this.n"), new BsonInt32(0));
        totals.put(name, reduce(field(name), start, condition(isEmpty, text("$$value"), sum)));
        BsonString all = field(name + ".n");
        BsonValue divisor = isSample ? call("$subtract", all, new BsonInt32(1)) : all;
        BsonDocument none = call("$lt", all, new BsonInt32(isSample ? 2 : 1));
        BsonDocument deviation = new BsonDocument("$sqrt", call("$divide", field(name + ".q"), divisor));
        return condition(none, BsonNull.VALUE, deviation);
    }

    /** A number as double, as in the engine's deviation: a decimal near 0 is 0, and one beyond the doubles makes the result NaN. */
    private static BsonDocument toDouble(BsonValue number) {
        BsonDocument small = call("$lt", new BsonDocument("$abs", number), new BsonInt32(1));
        BsonDocument convert = new BsonDocument("input", number)
                .append("to", text("double"))
                .append("onError", condition(small, new BsonDouble(0), new BsonDouble(Double.NaN)));
        return new BsonDocument("$convert", convert);
    }

    /** One array of an array of arrays. */
    private static BsonDocument joined(String name, String operator) {
        return reduce(field(name), new BsonArray(), call(operator, text("$$value"), text("$$this")));
    }

    /** The first value for a number, otherwise the second: numbers are after null and before texts in the order of types. */
    private static BsonDocument numberOrElse(BsonValue input, BsonValue then, BsonValue otherwise) {
        BsonDocument after = call("$gt", input, BsonNull.VALUE);
        BsonDocument before = call("$lt", input, text(""));
        return condition(call("$and", after, before), then, otherwise);
    }

    private static BsonDocument average(String sum, String count) {
        BsonDocument none = call("$eq", field(count), new BsonInt32(0));
        return condition(none, BsonNull.VALUE, call("$divide", field(sum), field(count)));
    }

    private static BsonDocument condition(BsonValue condition, BsonValue then, BsonValue otherwise) {
        return call("$cond", condition, then, otherwise);
    }

    private static BsonDocument reduce(BsonValue input, BsonValue start, BsonValue next) {
        BsonDocument body =
                new BsonDocument("input", input).append("initialValue", start).append("in", next);
        return new BsonDocument("$reduce", body);
    }

    private static BsonDocument call(String operator, BsonValue... arguments) {
        return new BsonDocument(operator, new BsonArray(List.of(arguments)));
    }

    private static BsonString field(String path) {
        return text("$" + path);
    }

    private static BsonString text(String text) {
        return new BsonString(text);
    }
}
