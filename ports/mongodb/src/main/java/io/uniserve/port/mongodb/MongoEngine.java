package io.uniserve.port.mongodb;

import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineFunctions;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.TrackingActorFactory;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.plan.Planner;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Partitioner;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.mongodb.server.MongoConnection;
import io.uniserve.port.mongodb.server.MongodExecutable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/**
 * Engine MongoDB: the server at the setting {@link MongoConnection#URI}, or mongo-java-server in this process, which is not MongoDB. Table
 * option: {@link SecondaryIndexes#OPTION}.
 */
public final class MongoEngine implements Engine {
    /** Name of the port in table definitions. */
    public static final String NAME = "mongodb";

    private static final String KEY_FIELD = "_id";
    private static final String STAGES = "stages";

    /** Runs stages, encoded by {@link #encode}, on an actor's documents. */
    static final RetrieveOperator<MongoTable, Bytes, BsonRows> AGGREGATE = RetrieveOperator.of(
            new RetrieveCall<>(NAME + ".aggregate@1", Codecs.BYTES, BsonRows.CODEC),
            MongoTable.class,
            MongoEngine::aggregate);

    private static final EngineFunctions FUNCTIONS = new EngineFunctions(
            List.of(AGGREGATE, LookupOperators.LOCAL, LookupOperators.FOREIGN, LookupOperators.JOIN),
            List.copyOf(MongoUpdateFunctions.ALL));

    private static BsonRows aggregate(MongoTable table, OperatorContext context, Bytes parameters) {
        BsonDocument decoded = BsonRows.decodeParameters(parameters);
        return table.aggregate(CommandValidator.actorStages(decoded, STAGES), QueryOptions.of(decoded), context);
    }

    /** Parameters of {@link #AGGREGATE}. */
    static Bytes encode(List<BsonDocument> stages, QueryOptions options) {
        BsonDocument parameters = new BsonDocument(STAGES, new BsonArray(stages));
        options.addTo(parameters);
        return Bytes.wrap(BsonRows.encode(parameters));
    }

    @Override
    public PortInfo info() {
        return FUNCTIONS.info(NAME, "1", Set.of(ConsistencyLevel.values()));
    }

    @Override
    public void validate(TableMeta meta) {
        if (!meta.keyField().equals(KEY_FIELD)) {
            throw UniserveException.invalid("key field is \"" + meta.keyField()
                    + "\", but documents of MongoDB have their key in _id: use --key _id");
        }
        if (meta.partitioner() instanceof Partitioner.Time) {
            throw UniserveException.unsupported("port " + NAME + " in a table partitioned by time, where an _id may be"
                    + " in several chunks: create the table without --time");
        }
        for (String option : meta.options().keySet()) {
            if (!option.equals(SecondaryIndexes.OPTION)) {
                throw UniserveException.invalid("port " + NAME + " has no table option " + option + "; use "
                        + SecondaryIndexes.OPTION + ", or remove it");
            }
        }
        SecondaryIndexes unused = SecondaryIndexes.of(meta);
    }

    @Override
    public void validateChange(TableMeta before, TableMeta now) {
        Map<String, String> others = new TreeMap<>(now.options());
        others.remove(SecondaryIndexes.CHANGED);
        Map<String, String> kept = new TreeMap<>(before.options());
        kept.remove(SecondaryIndexes.CHANGED);
        if (!others.equals(kept)) {
            throw UniserveException.invalid(
                    "of the options of port " + NAME + " only " + SecondaryIndexes.OPTION + " may change");
        }
        SecondaryIndexes unused = SecondaryIndexes.of(now);
    }

    @Override
    public EngineInstance open(EngineContext context) {
        for (String setting : context.settings().keySet()) {
            if (!setting.equals(MongoConnection.URI) && !setting.equals(MongodExecutable.MONGOD)) {
                throw new UniserveException(
                        ErrorCode.INVALID_CONFIGURATION,
                        "port " + NAME + " has no setting " + setting + "; use " + MongoConnection.URI + " or "
                                + MongodExecutable.MONGOD + ", or remove it");
            }
        }
        MongoConnection connection = MongoConnection.open(context);
        TrackingActorFactory<MongoActor> actors =
                new TrackingActorFactory<>(new Actors(connection), MongoActor::isClosed);
        return FUNCTIONS.instance(actors, () -> {
            connection.startClosing();
            try {
                actors.close();
            } finally {
                connection.close();
            }
        });
    }

    @Override
    public Optional<Planner> planner() {
        return Optional.of(new MongoPlanner());
    }

    private record Actors(MongoConnection connection) implements ActorFactory<MongoActor> {
        @Override
        public MongoActor create(ActorContext context) {
            String name = connection.newName("actor_" + context.meta().tableId() + "_" + context.actor());
            return new MongoActor(connection, context, name, SecondaryIndexes.of(context.meta()));
        }

        @Override
        public MongoActor restore(ActorContext context, Path directory) {
            MongoActor actor = create(context);
            try {
                actor.restore(directory);
                return actor;
            } catch (RuntimeException e) {
                actor.close();
                throw e;
            }
        }
    }
}
