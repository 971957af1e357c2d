package io.uniserve.port.mongodb.pipeline;

import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
public record SplitPipeline(List<BsonDocument> actors, List<BsonDocument> merge) {
    /** Stages that treat each document alone. */
    private static final Set<String> PER_DOCUMENT = Set.of(
            "$match", "$project", "$addFields", "$set", "$unset", "$replaceRoot", "$replaceWith", "$unwind", "$redact");

    /** Stages that {@link #of} leaves to actors. */
    private static final Set<String> AT_ACTORS = Set.of("$sort", "$limit", "$group", "$count");

    private static final int STAGES_MAX = 1_000;

    /** Splits the stages. Fails with INVALID_ARGUMENT for a stage that is not one field. */
    public static SplitPipeline of(List<BsonDocument> stages) {
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
    public static List<BsonDocument> checkLength(List<BsonDocument> stages) {
        if (stages.size() > STAGES_MAX) {
            throw UniserveException.invalid("MongoDB: a pipeline has " + stages.size() + " stages, at most "
                    + STAGES_MAX + " (Location7749501): use fewer");
        }
        return stages;
    }

    /** Name of a stage, which must be its only field. */
    public static String name(BsonDocument stage) {
        if (stage.size() != 1) {
            throw UniserveException.invalid("MongoDB: a pipeline stage has " + stage.size()
                    + " fields (Location40323): give it one, its operator");
        }
        return stage.getFirstKey();
    }

    /** Refuses stages that no planner sends to actors, such as those that write collections. */
    public static void checkActorStages(List<BsonDocument> stages) {
        for (BsonDocument stage : stages) {
            String name = name(stage);
            if (!PER_DOCUMENT.contains(name) && !AT_ACTORS.contains(name)) {
                throw UniserveException.unsupported(
                        "MongoDB: stage " + name + " at an actor: send the pipeline as a query");
            }
        }
    }

    /** The elements of an array, which must be documents. */
    public static List<BsonDocument> documents(String what, BsonValue value) {
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
                GroupSplit.apply(actors, merge);
            }
            case "$group" -> GroupSplit.apply(actors, merge);
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
}
