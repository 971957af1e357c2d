package io.uniserve.port.mongodb;

import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.port.mongodb.pipeline.SplitPipeline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Other tables that the merging stages of a pipeline read: each as a temporary collection of all its documents, beside the collection of
 * results. Closing drops them. Not thread-safe.
 */
final class ForeignCollections implements AutoCloseable {
    /** Stages that read another collection, and the field that names it. */
    private static final Map<String, String> READING =
            Map.of("$lookup", "from", "$graphLookup", "from", "$unionWith", "coll");

    private static final Set<String> WRITING = Set.of("$out", "$merge");

    /** Stages that work on documents of tables alone. Others read the server's state, such as its sessions, or write. */
    private static final Set<String> PERMITTED = Set.of(
            "$match",
            "$project",
            "$addFields",
            "$set",
            "$unset",
            "$replaceRoot",
            "$replaceWith",
            "$unwind",
            "$redact",
            "$sort",
            "$limit",
            "$skip",
            "$sample",
            "$group",
            "$count",
            "$sortByCount",
            "$bucket",
            "$bucketAuto",
            "$facet",
            "$lookup",
            "$graphLookup",
            "$unionWith",
            "$setWindowFields",
            "$densify",
            "$fill",
            "$documents");

    private final Function<TableName, MergeCollection> maker;
    private final Map<String, MergeCollection> collections = new LinkedHashMap<>();

    /** @param maker makes a collection of all documents of a table */
    ForeignCollections(Function<TableName, MergeCollection> maker) {
        this.maker = maker;
    }

    /** Names of the tables that these stages read. Fails with UNSUPPORTED for a stage that writes a collection or reads the server's state. */
    static Set<String> names(List<BsonDocument> stages) {
        return new TreeSet<>(namings(stages));
    }

    /** Names of the tables that these stages read, one for each time that a stage names it. */
    static List<String> namings(List<BsonDocument> stages) {
        List<String> names = new ArrayList<>();
        replace(stages, name -> {
            names.add(name);
            return name;
        });
        return names;
    }

    /** Returns the stages with the names of temporary collections, which are filled now. */
    List<BsonDocument> resolve(List<BsonDocument> stages) {
        return replace(
                stages,
                name -> collections
                        .computeIfAbsent(name, table -> maker.apply(new TableName(table)))
                        .name());
    }

    private static List<BsonDocument> replace(List<BsonDocument> stages, Function<String, String> names) {
        List<BsonDocument> replaced = new ArrayList<>();
        for (BsonDocument stage : stages) {
            String name = SplitPipeline.name(stage);
            if (WRITING.contains(name)) {
                throw UniserveException.unsupported("MongoDB: stage " + name
                        + " (CommandNotSupported 115): store the answer by WriteCommand of the client");
            }
            if (!PERMITTED.contains(name)) {
                throw UniserveException.unsupported("MongoDB: stage " + name
                        + " (Location40324): use the stages of the manual, on documents of tables");
            }
            BsonValue body = stage.get(name);
            if (body == null || !READING.containsKey(name) && !name.equals("$facet")) {
                replaced.add(stage);
            } else if (body.isDocument()) {
                replaced.add(new BsonDocument(name, document(name, body.asDocument(), names)));
            } else if (name.equals("$unionWith") && body.isString()) {
                replaced.add(new BsonDocument(
                        name, new BsonString(names.apply(body.asString().getValue()))));
            } else {
                replaced.add(stage); // the engine refuses it
            }
        }
        return replaced;
    }

    private static BsonDocument document(String stage, BsonDocument body, Function<String, String> names) {
        BsonDocument replaced = new BsonDocument();
        body.forEach((field, value) -> {
            boolean pipeline = value.isArray() && (stage.equals("$facet") || field.equals("pipeline"));
            if (pipeline) {
                replaced.put(field, new BsonArray(replace(SplitPipeline.documents(field, value), names)));
            } else if (field.equals(READING.get(stage))) {
                if (!value.isString()) {
                    throw UniserveException.invalid("MongoDB: field '" + field + "' of stage " + stage
                            + " must be the name of a table (FailedToParse 9)");
                }
                replaced.put(field, new BsonString(names.apply(value.asString().getValue())));
            } else {
                replaced.put(field, value);
            }
        });
        return replaced;
    }

    @Override
    public void close() {
        collections.values().forEach(MergeCollection::close);
    }
}
