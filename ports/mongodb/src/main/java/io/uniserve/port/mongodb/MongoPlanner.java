package io.uniserve.port.mongodb;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.port.mongodb.pipeline.SplitPipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.jspecify.annotations.Nullable;

/**
 * Planner of MongoDB's commands find, count, distinct and aggregate, as Extended JSON. Answers are Extended JSON too, in relaxed form, or in
 * canonical form with {@code "$format": "canonical"}.
 */
final class MongoPlanner implements Planner {
    /** A filter by more ids than this goes to all actors. */
    private static final int ROUTED_IDS_MAX = 1_000;

    private static final String FORMAT = "$format";

    /** Field of the command aggregate: true shuffles the tables of its first {@code $lookup}, whatever their size. */
    private static final String SHUFFLE = "$shuffle";

    private static final Set<String> FIND = Set.of(
            "find",
            "filter",
            "projection",
            "sort",
            "skip",
            "limit",
            "comment",
            "batchSize",
            "singleBatch",
            "hint",
            "collation",
            "$db",
            FORMAT);
    private static final Set<String> COUNT =
            Set.of("count", "query", "skip", "limit", "hint", "collation", "comment", "$db", FORMAT);
    private static final Set<String> DISTINCT =
            Set.of("distinct", "key", "query", "hint", "collation", "comment", "$db", FORMAT);
    private static final Set<String> AGGREGATE = Set.of(
            "aggregate", "pipeline", "cursor", "allowDiskUse", "hint", "collation", "comment", "$db", SHUFFLE, FORMAT);

    @Override
    public Answer answer(QueryText query, PlanContext context) {
        BsonDocument command = MongoTable.call("read a command", () -> BsonDocument.parse(query.text()));
        if (command.isEmpty()) {
            throw UniserveException.invalid("MongoDB: the command is empty: use find, count, distinct or aggregate");
        }
        CommandValidator.checkOperators(command, false);
        BsonDocument answer = switch (command.getFirstKey()) {
            case "find" -> find(named(command, query.table(), FIND), query.table(), context);
            case "count" -> count(named(command, query.table(), COUNT), query.table(), context);
            case "distinct" -> distinct(named(command, query.table(), DISTINCT), query.table(), context);
            case "aggregate" -> aggregate(named(command, query.table(), AGGREGATE), query.table(), context);
            default ->
                throw UniserveException.unsupported("MongoDB: command " + command.getFirstKey()
                        + " (CommandNotFound 59): use find, count, distinct or aggregate; updates are functions");
        };
        return new Answer("application/json", Bytes.utf8(answer.toJson(settings(command)))).withRows(rows(answer));
    }

    /** Documents of a cursor, distinct values, or one count. */
    private static int rows(BsonDocument answer) {
        if (answer.containsKey("cursor")) {
            return answer.getDocument("cursor").getArray("firstBatch").size();
        }
        return answer.containsKey("values") ? answer.getArray("values").size() : 1;
    }

    private static JsonWriterSettings settings(BsonDocument command) {
        String format = command.containsKey(FORMAT) ? text(command, FORMAT) : "relaxed";
        return JsonWriterSettings.builder()
                .outputMode(
                        switch (format) {
                            case "relaxed" -> JsonMode.RELAXED;
                            case "canonical" -> JsonMode.EXTENDED;
                            default ->
                                throw UniserveException.invalid(
                                        "MongoDB: " + FORMAT + " is \"" + format + "\": use relaxed or canonical");
                        })
                .build();
    }

    /** Checks the command's fields and its collection. */
    private static BsonDocument named(BsonDocument command, TableName table, Set<String> known) {
        String name = command.getFirstKey();
        CommandValidator.checkFields(name, command, known);
        if (!text(command, name).equals(table.value())) {
            throw UniserveException.invalid("MongoDB: command " + name + " names collection \"" + text(command, name)
                    + "\" (InvalidNamespace 73), but the query is for table " + table
                    + ": give the name of that table");
        }
        return command;
    }

    private static String text(BsonDocument command, String field) {
        @Nullable BsonValue value = command.get(field);
        if (value == null || !value.isString()) {
            throw UniserveException.invalid("MongoDB: field '" + field + "' must be a string (TypeMismatch 14)");
        }
        return value.asString().getValue();
    }

    private static BsonDocument document(BsonDocument command, String field) {
        @Nullable BsonValue value = command.get(field);
        if (value != null && !value.isDocument() && !value.isNull()) {
            throw UniserveException.invalid("MongoDB: field '" + field + "' must be a document (TypeMismatch 14)");
        }
        return value == null || value.isNull() ? new BsonDocument() : value.asDocument();
    }

    private static int number(BsonDocument command, String field) {
        @Nullable BsonValue value = command.get(field);
        if (value == null || value.isNull()) {
            return 0;
        }
        double number = value.isNumber() ? value.asNumber().doubleValue() : Double.NaN;
        if (!(number >= 0 && number <= Integer.MAX_VALUE) || number != Math.rint(number)) {
            throw UniserveException.invalid("MongoDB: field '" + field + "' must be a whole number from 0 to "
                    + Integer.MAX_VALUE + " (BadValue 2)");
        }
        return (int) number;
    }

    private static BsonDocument stage(String name, BsonValue body) {
        return new BsonDocument(name, body);
    }

    /** Runs stages on the actors that may have documents of the filter. */
    private static BsonRows retrieve(
            TableName table,
            BsonDocument filter,
            List<BsonDocument> stages,
            QueryOptions options,
            PlanContext context) {
        options.checkHint(SecondaryIndexes.of(context.table(table)));
        RetrieveCall<Bytes, BsonRows> call = RetrieveCall.of(MongoEngine.AGGREGATE);
        Bytes encoded = MongoEngine.encode(stages, options);
        List<PartitionKey> keys = options.hasCollation() ? List.of() : keys(filter); // it may unite texts
        boolean ranged = context.table(table).partitioner() instanceof Partitioner.Range;
        if (keys.isEmpty() || ranged && keys.stream().anyMatch(PartitionKey.Text.class::isInstance)) {
            return context.retrieve(table, call, encoded, BsonRows::concat);
        }
        TreeSet<Integer> actors = new TreeSet<>();
        keys.forEach(key -> actors.addAll(context.actorsOf(table, key)));
        return actors.isEmpty() ? BsonRows.EMPTY : context.retrieve(table, actors, call, encoded, BsonRows::concat);
    }

    /** The keys of all documents that a filter can find, if it names them. */
    private static List<PartitionKey> keys(BsonDocument filter) {
        List<BsonValue> ids = DocumentKey.named(filter);
        if (ids.size() > ROUTED_IDS_MAX) {
            return List.of();
        }
        try {
            return ids.stream().map(each -> DocumentKey.of(each).partition()).toList();
        } catch (UniserveException e) {
            return List.of(); // a value that is no id, such as a pattern: the engine answers
        }
    }

    /** Whether the filter is one id and nothing else. */
    private static boolean isById(BsonDocument filter) {
        return filter.size() == 1
                && DocumentKey.only(filter).isPresent()
                && keys(filter).size() == 1;
    }

    private static BsonDocument find(BsonDocument command, TableName table, PlanContext context) {
        QueryOptions options = QueryOptions.of(command);
        BsonDocument filter = document(command, "filter");
        BsonDocument projection = document(command, "projection");
        BsonDocument sort = document(command, "sort");
        int skip = number(command, "skip");
        int limit = number(command, "limit");
        List<BsonDocument> stages = new ArrayList<>();
        if (!filter.isEmpty()) {
            stages.add(stage("$match", filter));
        }
        // A filter by one id alone is a look-up, and nothing else is left for the actor to do.
        boolean byId = isById(filter) && !options.hasCollation();
        if (!sort.isEmpty() && !byId) {
            stages.add(stage("$sort", sort));
        }
        if (limit > 0 && !byId && (long) skip + limit <= Integer.MAX_VALUE) {
            stages.add(stage("$limit", new BsonInt32(skip + limit)));
        }
        boolean early = !projection.isEmpty() && FindProjection.mayPrecede(projection, sort);
        if (early && !byId) {
            stages.add(stage("$project", projection));
        }
        List<RawBsonDocument> found =
                retrieve(table, filter, stages, options, context).documents();
        if (!sort.isEmpty() && found.size() > 1) {
            found = merged(found, List.of(stage("$sort", sort)), options, context);
        }
        int from = Math.min(skip, found.size());
        int to = limit == 0 ? found.size() : (int) Math.min(found.size(), (long) from + limit);
        found = found.subList(from, to);
        if (early && byId) {
            found = found.stream()
                    .map(document -> FindProjection.project(document, projection))
                    .toList();
        } else if (!projection.isEmpty() && !early) {
            found = projected(context, found, filter, sort, projection, options);
        }
        return cursor(table, found);
    }

    private static List<RawBsonDocument> projected(
            PlanContext context,
            List<RawBsonDocument> found,
            BsonDocument filter,
            BsonDocument sort,
            BsonDocument projection,
            QueryOptions options) {
        try (MergeCollection merge = MergeCollection.ofDocuments(context, found)) {
            return merge.find(filter, sort, projection, options);
        }
    }

    private static BsonDocument count(BsonDocument command, TableName table, PlanContext context) {
        QueryOptions options = QueryOptions.of(command);
        BsonDocument filter = document(command, "query");
        List<BsonDocument> stages = new ArrayList<>();
        if (!filter.isEmpty()) {
            stages.add(stage("$match", filter));
        }
        stages.add(stage("$count", new BsonString("n")));
        long total = retrieve(table, filter, stages, options, context).documents().stream()
                .mapToLong(part -> part.getNumber("n").longValue())
                .sum();
        int limit = number(command, "limit");
        long rest = Math.max(0, total - number(command, "skip"));
        long counted = limit == 0 ? rest : Math.min(rest, limit);
        return ok(new BsonDocument("n", whole(counted)));
    }

    private static BsonValue whole(long number) {
        return number == (int) number ? new BsonInt32((int) number) : new BsonInt64(number);
    }

    private static BsonDocument distinct(BsonDocument command, TableName table, PlanContext context) {
        QueryOptions options = QueryOptions.of(command);
        BsonDocument filter = document(command, "query");
        String key = text(command, "key");
        if (key.isEmpty() || key.startsWith("$")) {
            throw UniserveException.invalid("MongoDB: field 'key' must name a field (BadValue 2)");
        }
        String first = key.split("\\.", 2)[0];
        List<BsonDocument> stages = new ArrayList<>();
        if (!filter.isEmpty()) {
            stages.add(stage("$match", filter));
        }
        BsonDocument field = new BsonDocument(first, new BsonInt32(1));
        stages.add(stage("$project", first.equals("_id") ? field : field.append("_id", new BsonInt32(0))));
        List<RawBsonDocument> found =
                retrieve(table, filter, stages, options, context).documents();
        try (MergeCollection merge = MergeCollection.ofResults(context, found)) {
            return ok(new BsonDocument("values", merge.distinct(key, options)));
        }
    }

    private static BsonDocument aggregate(BsonDocument command, TableName table, PlanContext context) {
        @Nullable BsonValue given = command.get("pipeline");
        if (given == null) {
            throw UniserveException.invalid("MongoDB: field 'pipeline' is missing (TypeMismatch 14): give stages");
        }
        List<BsonDocument> stages = SplitPipeline.documents("pipeline", given);
        SplitPipeline split = SplitPipeline.of(stages);
        Set<TableName> tables = ForeignCollections.names(split.merge()).stream()
                .map(name -> mongoTable(name, context))
                .collect(Collectors.toCollection(TreeSet::new));
        if (!tables.isEmpty()) {
            tables.add(table);
            context.useSnapshot(tables);
        }
        return cursor(table, results(command, table, stages, split, context));
    }

    /** Broadcasts the tables that a pipeline joins. If they are too large for that, it shuffles them, if it can. */
    private static List<RawBsonDocument> results(
            BsonDocument command,
            TableName table,
            List<BsonDocument> stages,
            SplitPipeline split,
            PlanContext context) {
        QueryOptions options = QueryOptions.of(command);
        Optional<ShuffledLookup> lookup =
                options.hasCollation() ? Optional.empty() : ShuffledLookup.of(stages); // it may unite texts
        if (isShuffled(command)) {
            ShuffledLookup demanded = lookup.orElseThrow(() -> UniserveException.unsupported("MongoDB: field '"
                    + SHUFFLE + "' of a pipeline whose first stage for all documents is no $lookup by localField and"
                    + " foreignField, or with a collation: leave it out"));
            return shuffled(demanded, table, stages, options, context);
        }
        try {
            BsonDocument filter = stages.isEmpty() ? new BsonDocument() : document(stages.get(0), "$match");
            List<RawBsonDocument> found =
                    retrieve(table, filter, split.actors(), options, context).documents();
            return split.merge().isEmpty() ? found : merged(found, split.merge(), options, context);
        } catch (UniserveException e) {
            if (e.code() != ErrorCode.TOO_LARGE || lookup.isEmpty() || !context.canShuffle()) {
                throw e;
            }
            return shuffledAfter(e, lookup.get(), table, stages, options, context);
        }
    }

    /** Shuffles instead. If that fails too, the error is the first one, which names the limit. */
    private static List<RawBsonDocument> shuffledAfter(
            UniserveException first,
            ShuffledLookup lookup,
            TableName table,
            List<BsonDocument> stages,
            QueryOptions options,
            PlanContext context) {
        try {
            return shuffled(lookup, table, stages, options, context);
        } catch (UniserveException e) {
            boolean isLimit = e.code() == ErrorCode.TOO_LARGE || e.code() == ErrorCode.UNSUPPORTED;
            if (isLimit) {
                first.addSuppressed(e);
                throw first;
            }
            throw e;
        }
    }

    private static boolean isShuffled(BsonDocument command) {
        BsonValue value = command.getOrDefault(SHUFFLE, BsonBoolean.FALSE);
        if (!value.isBoolean()) {
            throw UniserveException.invalid("MongoDB: field '" + SHUFFLE + "' must be true or false (TypeMismatch 14)");
        }
        return value.asBoolean().getValue();
    }

    private static List<RawBsonDocument> shuffled(
            ShuffledLookup lookup,
            TableName table,
            List<BsonDocument> stages,
            QueryOptions options,
            PlanContext context) {
        options.checkHint(SecondaryIndexes.of(context.table(table)));
        List<RawBsonDocument> found = lookup.run(table, options, context);
        List<BsonDocument> rest = ShuffledLookup.remaining(stages);
        return rest.isEmpty() ? found : merged(found, rest, options, context);
    }

    /** Runs stages on results, in an engine of this process. */
    private static List<RawBsonDocument> merged(
            List<RawBsonDocument> found, List<BsonDocument> stages, QueryOptions options, PlanContext context) {
        try (MergeCollection merge = MergeCollection.ofResults(context, found);
                ForeignCollections others =
                        new ForeignCollections(name -> merge.beside(foreign(name, found, stages, options, context)))) {
            return merge.aggregate(others.resolve(stages), options);
        }
    }

    /** Documents of another table, at least those that the stages read. */
    private static List<RawBsonDocument> foreign(
            TableName table,
            List<RawBsonDocument> found,
            List<BsonDocument> stages,
            QueryOptions options,
            PlanContext context) {
        BsonDocument filter =
                options.hasCollation() ? new BsonDocument() : LookupFilter.of(table.value(), stages, found);
        List<BsonDocument> match = filter.isEmpty() ? List.of() : List.of(stage("$match", filter));
        return retrieve(table, filter, match, QueryOptions.NONE, context).documents();
    }

    private static TableName mongoTable(String name, PlanContext context) {
        TableName table = new TableName(name);
        String port = context.table(table).port();
        if (!port.equals(MongoEngine.NAME)) {
            throw UniserveException.unsupported("MongoDB: a pipeline that reads table " + name + " of port " + port
                    + ": name tables of port " + MongoEngine.NAME);
        }
        return table;
    }

    private static BsonDocument cursor(TableName table, List<RawBsonDocument> documents) {
        BsonDocument cursor = new BsonDocument("firstBatch", new BsonArray(documents))
                .append("id", new BsonInt64(0))
                .append("ns", new BsonString(table.value()));
        return ok(new BsonDocument("cursor", cursor));
    }

    private static BsonDocument ok(BsonDocument answer) {
        return answer.append("ok", new BsonDouble(1));
    }
}
