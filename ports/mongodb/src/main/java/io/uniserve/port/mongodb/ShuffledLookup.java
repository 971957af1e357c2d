package io.uniserve.port.mongodb;

import io.uniserve.api.QueryCancellation;
import io.uniserve.api.operator.GatherCall;
import io.uniserve.api.operator.ScatterCall;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Shuffle;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.port.mongodb.pipeline.JoinKeys;
import io.uniserve.port.mongodb.pipeline.SplitPipeline;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/**
 * Pipeline with a {@code $lookup} by fields that runs in the slots of a shuffle, for tables that are too large to be sent to one server.
 * Immutable.
 *
 * @param before stages before it, which actors run
 * @param lookup body of the stage
 * @param after stages after it that each slot runs, and that may run on parts of its results
 */
record ShuffledLookup(List<BsonDocument> before, BsonDocument lookup, List<BsonDocument> after) {
    private static final String STAGE = "$lookup";
    private static final String FROM = "from";
    private static final String LOCAL_FIELD = "localField";
    private static final String FOREIGN_FIELD = "foreignField";
    private static final Set<String> FIELDS = Set.of(FROM, LOCAL_FIELD, FOREIGN_FIELD, "as");

    /** Parameters of the operators. */
    private static final String BEFORE = "before";

    private static final String LOOKUP = "lookup";
    private static final String AFTER = "after";

    /** Returns the plan of a pipeline; empty if its first stage for all documents is no {@code $lookup} by fields alone. */
    static Optional<ShuffledLookup> of(List<BsonDocument> stages) {
        SplitPipeline split = SplitPipeline.of(stages);
        Optional<BsonDocument> body = StoredQuery.leading(split.merge(), 0, STAGE);
        if (body.isEmpty() || !isByFields(body.get())) {
            return Optional.empty();
        }
        SplitPipeline rest =
                SplitPipeline.of(split.merge().subList(1, split.merge().size()));
        return Optional.of(new ShuffledLookup(split.actors(), body.get(), rest.actors()));
    }

    private static boolean isByFields(BsonDocument body) {
        return body.keySet().equals(FIELDS)
                && body.values().stream().allMatch(BsonValue::isString)
                && JoinKeys.path(body.getString(LOCAL_FIELD).getValue()).isPresent()
                && JoinKeys.path(body.getString(FOREIGN_FIELD).getValue()).isPresent();
    }

    /** The stages that {@link #run} leaves to the planning server, of the same pipeline. */
    static List<BsonDocument> remaining(List<BsonDocument> stages) {
        List<BsonDocument> merge = SplitPipeline.of(stages).merge();
        return SplitPipeline.of(merge.subList(1, merge.size())).merge();
    }

    /**
     * Returns the plan that an operator's parameters have.
     *
     * @throws UniserveException INVALID_ARGUMENT or UNSUPPORTED for parameters that no planner sends
     */
    static ShuffledLookup decode(BsonDocument parameters) {
        BsonValue lookup = parameters.getOrDefault(LOOKUP, BsonNull.VALUE);
        if (!lookup.isDocument() || !isByFields(lookup.asDocument())) {
            throw UniserveException.invalid("parameters of a shuffled $lookup have no look-up by two fields");
        }
        List<BsonDocument> before = CommandValidator.actorStages(parameters, BEFORE);
        return new ShuffledLookup(before, lookup.asDocument(), CommandValidator.actorStages(parameters, AFTER));
    }

    private Bytes encode(QueryOptions options) {
        BsonDocument parameters = new BsonDocument(BEFORE, new BsonArray(before))
                .append(LOOKUP, lookup)
                .append(AFTER, new BsonArray(after));
        options.addTo(parameters);
        return Bytes.wrap(BsonRows.encode(parameters));
    }

    /** Name of the other table. */
    String from() {
        return lookup.getString(FROM).getValue();
    }

    String[] localPath() {
        return JoinKeys.path(lookup.getString(LOCAL_FIELD).getValue()).orElseThrow();
    }

    String[] foreignPath() {
        return JoinKeys.path(lookup.getString(FOREIGN_FIELD).getValue()).orElseThrow();
    }

    /** Results of the stages up to {@link #remaining}. The slots are at the table with more actors. */
    List<RawBsonDocument> run(TableName table, QueryOptions options, PlanContext context) {
        TableName other = new TableName(from());
        TableName at = context.actors(table).size() < context.actors(other).size() ? other : table;
        Bytes parameters = encode(options);
        Shuffle<Bytes, BsonRows> plan = Shuffle.scatter(table, ScatterCall.of(LookupOperators.LOCAL), parameters)
                .scatter(other, ScatterCall.of(LookupOperators.FOREIGN), parameters)
                .gather(at, GatherCall.of(LookupOperators.JOIN), parameters)
                .withChunksOnly();
        BsonRows records = context.shuffle(plan, BsonRows::concat).value();
        List<RawBsonDocument> results = new ArrayList<>();
        List<RawBsonDocument> spread = new ArrayList<>();
        List<RawBsonDocument> candidates = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (RawBsonDocument record : records.documents()) {
            LookupOperators.field(record, LookupOperators.RESULT).ifPresent(results::add);
            LookupOperators.field(record, LookupOperators.SPREAD).ifPresent(spread::add);
            LookupOperators.field(record, LookupOperators.CANDIDATE)
                    .filter(found -> ids.add(DocumentKey.ofDocument(found).canonical())) // of several slots
                    .ifPresent(candidates::add);
        }
        results.addAll(join(context, spread, candidates));
        return results;
    }

    /**
     * Joins documents in an engine of this process, and runs the stages after it.
     *
     * @param documents results of the stages before
     * @param others at least the documents of the other table that these join, each once
     */
    List<RawBsonDocument> join(QueryCancellation life, List<RawBsonDocument> documents, List<RawBsonDocument> others) {
        if (documents.isEmpty()) {
            return List.of();
        }
        List<BsonDocument> stages = new ArrayList<>();
        try (MergeCollection merge = MergeCollection.ofResults(life, documents);
                MergeCollection foreign = merge.beside(others)) {
            foreign.index(lookup.getString(FOREIGN_FIELD).getValue());
            stages.add(new BsonDocument(STAGE, lookup.clone().append(FROM, new BsonString(foreign.name()))));
            stages.addAll(after);
            return merge.aggregate(stages, QueryOptions.NONE);
        }
    }
}
