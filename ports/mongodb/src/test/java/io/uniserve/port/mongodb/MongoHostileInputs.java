package io.uniserve.port.mongodb;

import io.uniserve.api.Document;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.testkit.tck.HostileInput;
import io.uniserve.testkit.tck.HostileTargets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;

/** Commands of MongoDB that run code, write other collections, or read more than tables. */
final class MongoHostileInputs {
    private static final String CODE = "'function() { return true }'";

    private final List<HostileInput> all = new ArrayList<>();

    private MongoHostileInputs() {}

    static List<HostileInput> of(HostileTargets targets) {
        MongoHostileInputs inputs = new MongoHostileInputs();
        inputs.addCode();
        inputs.addStages(targets);
        inputs.addCommands(targets);
        inputs.addUpdates();
        return inputs.all;
    }

    /** Adds a filter for commands, nested, and for actors. */
    private void addFilter(String filter, String named) {
        add("{find: 'tck', filter: " + filter + "}", named);
        add("{count: 'tck', query: " + filter + "}", named);
        add("{find: 'tck', filter: {$or: [{n: 1}, " + filter + "]}}", named);
        add("{find: 'tck', filter: {list: {$elemMatch: " + filter + "}}}", named);
        addStage("{$match: " + filter + "}", named);
    }

    private void add(String command, String... named) {
        all.add(HostileInput.query(command, command, named));
    }

    /** Adds a stage of the planner, of an actor, and of inner pipelines. */
    private void addStage(String stage, String named) {
        add("{aggregate: 'tck', cursor: {}, pipeline: [" + stage + "]}", named);
        add("{aggregate: 'tck', cursor: {}, pipeline: [{$facet: {a: [" + stage + "]}}]}", named);
        add(
                "{aggregate: 'tck', cursor: {}, pipeline: [{$lookup: {from: 'tck', as: 'a', pipeline: [" + stage
                        + "]}}]}",
                named);
        add(
                "{aggregate: 'tck', cursor: {}, pipeline: [{$unionWith: {coll: 'tck', pipeline: [" + stage + "]}}]}",
                named);
        all.add(HostileInput.sent(
                stage + " at an actor",
                MongoEngine.AGGREGATE.id(),
                Codecs.BYTES.encode(Bytes.wrap(BsonRows.encode(BsonDocument.parse("{stages: [" + stage + "]}")))),
                named));
    }

    private void addCode() {
        addFilter("{$where: " + CODE + "}", "$where");
        addFilter("{$where: {$code: " + CODE + "}}", "$where");
        addFilter("{$expr: {$function: {body: " + CODE + ", args: [], lang: 'js'}}}", "$function");
        addFilter("{$expr: {$_internalJsEmit: {eval: " + CODE + ", this: '$$ROOT'}}}", "$_internalJsEmit");
        addFilter("{n: {$code: " + CODE + "}}", "code");
        add("{find: 'tck', filter: {n: {$code: " + CODE + ", $scope: {}}}}", "code");
        addStage("{$group: {_id: 1, a: {$accumulator: {init: " + CODE + ", lang: 'js'}}}}", "$accumulator");
        addStage("{$project: {a: {$function: {body: " + CODE + ", args: [], lang: 'js'}}}}", "$function");
        addStage("{$group: {_id: 1, a: {$_internalJsReduce: {data: '$n', eval: " + CODE + "}}}}", "$_internalJsReduce");
    }

    private void addStages(HostileTargets targets) {
        for (String stage : List.of(
                "{$out: 'other'}",
                "{$out: {db: 'admin', coll: 'other'}}",
                "{$merge: 'other'}",
                "{$merge: {into: {db: 'admin', coll: 'system.users'}}}",
                "{$currentOp: {allUsers: true}}",
                "{$listLocalSessions: {}}",
                "{$listSessions: {}}",
                "{$collStats: {storageStats: {}}}",
                "{$indexStats: {}}",
                "{$planCacheStats: {}}",
                "{$changeStream: {}}",
                "{$queryStats: {}}",
                "{$search: {}}",
                "{$backupCursor: {}}",
                "{$_internalInhibitOptimization: {}}")) {
            addStage(stage, BsonDocument.parse(stage).getFirstKey());
        }
        addStage(
                "{$lookup: {from: {db: 'admin', coll: 'system.users'}, localField: 'n', foreignField: 'n', as: 'a'}}",
                "");
        add("{aggregate: 'tck', cursor: {}, pipeline: [{$unionWith: {coll: 'system.users', pipeline: []}}]}", "");
        add("{aggregate: 'tck', cursor: {}, pipeline: [{$unionWith: '../../" + targets.canary() + "'}]}", "");
        add("{aggregate: 1, cursor: {}, pipeline: [{$currentOp: {}}]}", "aggregate");
    }

    private void addCommands(HostileTargets targets) {
        for (String command : List.of(
                "{mapReduce: 'tck', map: " + CODE + ", reduce: " + CODE + ", out: 'other'}",
                "{eval: " + CODE + "}",
                "{$eval: " + CODE + "}",
                "{group: {ns: 'tck', $reduce: " + CODE + ", initial: {}}}",
                "{listCollections: 1}",
                "{getParameter: '*'}",
                "{setParameter: 1, logLevel: 5}",
                "{getCmdLineOpts: 1}",
                "{hostInfo: 1}",
                "{shutdown: 1}",
                "{fsync: 1}",
                "{copydb: 1, fromhost: '" + targets.url() + "', fromdb: 'a', todb: 'b'}",
                "{cloneCollection: 'a.b', from: '" + targets.url() + "'}",
                "{replSetInitiate: {}}",
                "{insert: 'system.js', documents: []}",
                "{renameCollection: 'a.b', to: 'c.d'}",
                "{logRotate: 1}")) {
            add(command, BsonDocument.parse(command).getFirstKey());
        }
        add("{find: 'system.js'}", "system.js");
        add("{find: 'tck', $db: 'admin', readConcern: {}}", "readConcern");
        add("{find: 'tck', let: {a: 1}}", "let");
        add("{find: 'tck', projection: {a: {$function: {body: " + CODE + ", args: [], lang: 'js'}}}}", "$function");
        add("{find: 'tck', sort: {n: {$where: 1}}}", "$where");
    }

    private void addUpdates() {
        all.add(HostileInput.update(
                "code in a row",
                "mongodb.put@1",
                new Document("_id", Map.of("_id", "a", "c", Map.of("$code", "function() {}"))),
                "JAVASCRIPT"));
        all.add(HostileInput.update(
                "operator in a row",
                "mongodb.put@1",
                new Document("_id", Map.of("_id", "a", "$where", "1")),
                "$where"));
        all.add(HostileInput.options(
                "code in an index", Map.of("indexes", "[{a: 1, partialFilterExpression: {$where: '1'}}]"), "indexes"));
        all.add(HostileInput.options("name of an index", Map.of("indexes", "[{'$**': 'text'}]"), "indexes"));
        all.add(HostileInput.options("no JSON", Map.of("indexes", "function() {}"), "indexes"));
    }
}
