package io.uniserve.port.mongodb;

import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Pipeline in two halves: the stages that each actor runs on its documents, and those that run on the results of all actors.
 *
 * @param actors stages of the actors
 * @param merge stages on all results; empty if the results together are the answer, in any order
 */
record SplitPipeline(List<BsonDocument> actors, List<BsonDocument> merge) {
    /** Stages that treat each document alone. */
    private static final Set<String> PER_DOCUMENT = Set.of(
            "$match", "$project", "$addFields", "$set", "$unset", "$replaceRoot", "$replaceWith", "$unwind", "$redact");

    /** Stages that {@link #of} leaves to actors. */
    private static final Set<String> AT_ACTORS = Set.of("$sort", "$limit", "$group", "$count");

    /** Accumulators whose partial results can be accumulated again. */
    private static final Set<String> REPEATABLE = Set.of("$sum", "$min", "$max", "$first", "$last", "$mergeObjects");

    /** Accumulators of arrays, and the expression that joins two of their results. */
    private static final Map<String, String> JOINED = Map.of("$push", "$concatArrays", "$addToSet", "$setUnion");

    private static final int STAGES_MAX = 1_000;
    private static final String PARTIAL = "a";
    private static final String COUNT_SUFFIX = "n";

    /** Splits the stages. Fails with INVALID_ARGUMENT for a stage that is not one field. */
    static SplitPipeline of(List<BsonDocument> stages) {
        checkLength(stages);
        List<BsonDocument> actors = new ArrayList<>();
        for (int i = 0; i < stages.size(); i++) {
            String name = name(stages.get(i));
            if (!PER_DOCUMENT.contains(name)) {
                stages.subList(i, stages.size()).forEach(SplitPipeline::name);
                List<BsonDocument> merge = new ArrayList<>(stages.subList(i, stages.size()));
                int before = actors.size();
                splitStage(name, actors, merge);
                if (actors.size() == before) {
                    FieldDependencies.projection(merge).ifPresent(actors::add);
                }
                return new SplitPipeline(List.copyOf(actors), List.copyOf(merge));
            }
            actors.add(stages.get(i));
        }
        return new SplitPipeline(List.copyOf(actors), List.of());
    }

    /** Fails with INVALID_ARGUMENT for more stages than MongoDB permits. */
    static List<BsonDocument> checkLength(List<BsonDocument> stages) {
        if (stages.size() > STAGES_MAX) {
            throw UniserveException.invalid("MongoDB: a pipeline has " + stages.size() + " stages, at most "
                    + STAGES_MAX + " (Location7749501): use fewer");
        }
        return stages;
    }

    /** Name of a stage, which must be its only field. */
    static String name(BsonDocument stage) {
        if (stage.size() != 1) {
            throw UniserveException.invalid("MongoDB: a pipeline stage has " + stage.size()
                    + " fields (Location40323): give it one, its operator");
        }
        return stage.getFirstKey();
    }

    /** Refuses stages that no planner sends to actors, such as those that write collections. */
    static void checkActorStages(List<BsonDocument> stages) {
        for (BsonDocument stage : stages) {
            String name = name(stage);
            if (!PER_DOCUMENT.contains(name) && !AT_ACTORS.contains(name)) {
                throw UniserveException.unsupported(
                        "MongoDB: stage " + name + " at an actor: send the pipeline as a query");
            }
        }
    }

    /** The elements of an array, which must be documents. */
    static List<BsonDocument> documents(String what, BsonValue value) {
        if (!value.isArray() || !value.asArray().stream().allMatch(BsonValue::isDocument)) {
            throw UniserveException.invalid("MongoDB: " + what + " must be an array of documents (TypeMismatch 14)");
        }
        return value.asArray().stream().map(BsonValue::asDocument).toList();
    }

    /** Adds to the actors' stages what shortens their results, and changes the first merging stage accordingly. */
    private static void splitStage(String name, List<BsonDocument> actors, List<BsonDocument> merge) {
        BsonValue body = merge.get(0).getOrDefault(name, BsonNull.VALUE);
        switch (name) {
            case "$sort" -> {
                int limit = limit(merge.subList(1, merge.size()));
                if (limit > 0) {
                    actors.add(merge.get(0));
                    actors.add(new BsonDocument("$limit", new BsonInt32(limit)));
                }
            }
            case "$limit", "$skip" -> {
                int limit = limit(merge);
                if (limit > 0) {
                    actors.add(new BsonDocument("$limit", new BsonInt32(limit)));
                }
            }
            case "$count" -> {
                if (body.isString() && !body.asString().getValue().isEmpty()) {
                    BsonString field = body.asString();
                    actors.add(merge.remove(0));
                    merge.add(0, group(BsonNull.VALUE, field.getValue(), "$sum", "$" + field.getValue()));
                    merge.add(1, new BsonDocument("$project", new BsonDocument("_id", new BsonInt32(0))));
                }
            }
            case "$sortByCount" -> {
                if (!body.isDocument()
                        && !(body.isString() && body.asString().getValue().startsWith("$"))) {
                    return; // the engine refuses it
                }
                BsonDocument counts = group(body, "count", "$sum", null);
                BsonDocument sort = new BsonDocument("$sort", new BsonDocument("count", new BsonInt32(-1)));
                merge.remove(0);
                merge.add(0, counts);
                merge.add(1, sort);
                splitGroup(actors, merge);
            }
            case "$group" -> splitGroup(actors, merge);
            default -> {}
        }
    }

    private static BsonDocument group(
            BsonValue id, String field, String accumulator, @org.jspecify.annotations.Nullable String input) {
        BsonValue argument = input == null ? new BsonInt32(1) : new BsonString(input);
        return new BsonDocument(
                "$group", new BsonDocument("_id", id).append(field, new BsonDocument(accumulator, argument)));
    }

    /** Number of documents that the limits and skips at the beginning of the stages need; 0 for all. */
    private static int limit(List<BsonDocument> stages) {
        long skipped = 0;
        long needed = 0;
        for (BsonDocument stage : stages) {
            String name = stage.getFirstKey();
            boolean limits = name.equals("$limit");
            if (!limits && !name.equals("$skip")) {
                break;
            }
            BsonValue number = stage.getOrDefault(name, BsonNull.VALUE);
            if (!number.isNumber()) {
                return 0;
            }
            long value = number.asNumber().longValue();
            if (limits) {
                needed = needed == 0 ? skipped + value : Math.min(needed, skipped + value);
            } else {
                skipped += value;
            }
        }
        return needed > Integer.MAX_VALUE || needed < 0 ? 0 : (int) needed;
    }

    /** Lets the actors group, if all accumulators permit it. */
    private static void splitGroup(List<BsonDocument> actors, List<BsonDocument> merge) {
        BsonValue body = merge.get(0).get("$group");
        if (body == null || !body.isDocument() || !body.asDocument().containsKey("_id")) {
            return; // the engine refuses it
        }
        BsonDocument partial = new BsonDocument("_id", body.asDocument().get("_id"));
        BsonDocument merged = new BsonDocument("_id", new BsonString("$_id"));
        BsonDocument result = new BsonDocument();
        int number = 0;
        for (Map.Entry<String, BsonValue> field : body.asDocument().entrySet()) {
            if (field.getKey().equals("_id")) {
                continue;
            }
            boolean plain = !field.getKey().contains(".") && !field.getKey().startsWith("$");
            if (!plain
                    || !field.getValue().isDocument()
                    || field.getValue().asDocument().size() != 1) {
                return; // the engine refuses it
            }
            String accumulator = field.getValue().asDocument().getFirstKey();
            BsonValue input = field.getValue().asDocument().getOrDefault(accumulator, BsonNull.VALUE);
            String name = PARTIAL + number++;
            if (REPEATABLE.contains(accumulator)) {
                partial.put(name, new BsonDocument(accumulator, input));
                merged.put(name, new BsonDocument(accumulator, new BsonString("$" + name)));
                result.put(field.getKey(), new BsonString("$" + name));
            } else if (accumulator.equals("$avg")) {
                String count = name + COUNT_SUFFIX;
                partial.put(name, new BsonDocument("$sum", input));
                partial.put(count, new BsonDocument("$sum", isNumber(input)));
                merged.put(name, new BsonDocument("$sum", new BsonString("$" + name)));
                merged.put(count, new BsonDocument("$sum", new BsonString("$" + count)));
                result.put(field.getKey(), average(name, count));
            } else if (accumulator.equals("$count")
                    && input.isDocument()
                    && input.asDocument().isEmpty()) {
                partial.put(name, new BsonDocument("$sum", new BsonInt32(1)));
                merged.put(name, new BsonDocument("$sum", new BsonString("$" + name)));
                result.put(field.getKey(), new BsonString("$" + name));
            } else if (JOINED.containsKey(accumulator)) {
                partial.put(name, new BsonDocument(accumulator, input));
                merged.put(name, new BsonDocument("$push", new BsonString("$" + name)));
                result.put(field.getKey(), joined(name, JOINED.get(accumulator)));
            } else {
                return;
            }
        }
        actors.add(new BsonDocument("$group", partial));
        merge.remove(0);
        merge.add(0, new BsonDocument("$group", merged));
        if (!result.isEmpty()) {
            merge.add(1, new BsonDocument("$project", result));
        }
    }

    /** One array of an array of arrays. */
    private static BsonDocument joined(String name, String operator) {
        BsonArray both = new BsonArray(List.of(new BsonString("$$value"), new BsonString("$$this")));
        return new BsonDocument(
                "$reduce",
                new BsonDocument("input", new BsonString("$" + name))
                        .append("initialValue", new BsonArray())
                        .append("in", new BsonDocument(operator, both)));
    }

    /** 1 for a number, otherwise 0: numbers are after null and before texts in the order of types. */
    private static BsonDocument isNumber(BsonValue input) {
        BsonArray after = new BsonArray(List.of(input, BsonNull.VALUE));
        BsonArray before = new BsonArray(List.of(input, new BsonString("")));
        BsonDocument both = new BsonDocument(
                "$and", new BsonArray(List.of(new BsonDocument("$gt", after), new BsonDocument("$lt", before))));
        return condition(both, new BsonInt32(1), new BsonInt32(0));
    }

    private static BsonDocument average(String sum, String count) {
        BsonDocument none =
                new BsonDocument("$eq", new BsonArray(List.of(new BsonString("$" + count), new BsonInt32(0))));
        BsonDocument quotient = new BsonDocument(
                "$divide", new BsonArray(List.of(new BsonString("$" + sum), new BsonString("$" + count))));
        return condition(none, BsonNull.VALUE, quotient);
    }

    private static BsonDocument condition(BsonValue condition, BsonValue then, BsonValue otherwise) {
        return new BsonDocument("$cond", new BsonArray(List.of(condition, then, otherwise)));
    }
}
