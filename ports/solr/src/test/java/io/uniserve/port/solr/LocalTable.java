package io.uniserve.port.solr;

import io.uniserve.api.ActorContext;
import io.uniserve.api.Document;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.extra.BroadcastUpdate;
import io.uniserve.api.operator.Combiner;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.PerActorParameters;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.solr.query.ShardRequestBatcher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Table whose actors are all in this process; parameters and values pass through their codecs, as on a network. */
final class LocalTable implements PlanContext {
    private static final AtomicInteger DIRECTORIES = new AtomicInteger();

    private final SolrEngine engine;
    private final EngineInstance instance;
    private final Path directory;
    private TableMeta meta;
    private final List<SolrActor> actors = new ArrayList<>();
    private final List<Set<Integer>> rounds = new CopyOnWriteArrayList<>();
    private long index;
    private final AtomicInteger looks = new AtomicInteger(Integer.MAX_VALUE);
    private int statesWanted;

    LocalTable(SolrEngine engine, EngineInstance instance, Path directory, int size) {
        this(engine, instance, directory, meta(size));
    }

    LocalTable(SolrEngine engine, EngineInstance instance, Path directory, TableMeta meta) {
        this.engine = engine;
        this.instance = instance;
        this.directory = directory;
        this.meta = meta;
        for (int actor = 0; actor < meta.partitioner().actors(); actor++) {
            actors.add((SolrActor) instance.actors().create(context(actor)));
        }
    }

    static TableMeta meta(int actors) {
        return meta(actors, "id", Map.of());
    }

    static TableMeta meta(int actors, String key, Map<String, String> options) {
        return new TableMeta(
                new TableName("docs"),
                1,
                new Partitioner.Hash(actors),
                key,
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                "solr",
                options);
    }

    static EngineInstance open(SolrEngine engine, Path directory) {
        return engine.open(new EngineContext(fresh(directory), Map.of()));
    }

    static Path fresh(Path directory) {
        try {
            return Files.createDirectories(directory.resolve("d" + DIRECTORIES.incrementAndGet()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ActorContext context(int actor) {
        return new ActorContext(meta, actor, fresh(directory));
    }

    SolrActor actor(int number) {
        return actors.get(number);
    }

    /** Uses this actor in place of the first one. */
    void use(SolrActor other) {
        actors.set(0, other);
    }

    /** Returns the called actors per round of requests since the last call. */
    List<Set<Integer>> rounds() {
        List<Set<Integer>> copy = List.copyOf(rounds);
        rounds.clear();
        return copy;
    }

    /** Replaces an actor by one restored from its own checkpoint. */
    void restart(int actor) {
        Path checkpoint = fresh(directory);
        actors.get(actor).writeTo(checkpoint);
        actors.get(actor).destroy();
        actors.set(actor, (SolrActor) instance.actors().restore(context(actor), checkpoint));
    }

    TableMeta meta() {
        return meta;
    }

    /** Ends the query, by deadline or cancellation, after Solr has polled this many times. */
    void endsAfter(int times) {
        looks.set(times);
    }

    /** Returns the remaining polls; negative if Solr continued. */
    int looksLeft() {
        return looks.get();
    }

    /** Changes the table's options, and restores each actor with them from its own checkpoint, like the host. */
    void change(TableMeta now) {
        engine.validateChange(meta, now);
        meta = now;
        for (int actor = 0; actor < actors.size(); actor++) {
            restart(actor);
        }
    }

    /** Adds rows like the client: to all actors if the key field is not the uniqueKey. */
    void add(List<Document> rows) {
        String function = BroadcastUpdate.functionToSend(
                SolrUpdateFunctions.ADD.id(), meta, engine.info().updates());
        if (!BroadcastUpdate.isBroadcast(function)) {
            apply(SolrUpdateFunctions.ADD, rows);
            return;
        }
        Map<Integer, List<Document>> parts = new TreeMap<>();
        for (int number = 0; number < actors.size(); number++) {
            int actor = number;
            List<Document> part = rows.stream()
                    .filter(row -> BroadcastUpdate.goesToAllActors(row)
                            || context(actor).owns(row))
                    .toList();
            if (!part.isEmpty()) {
                parts.put(actor, part);
            }
        }
        parts.forEach((number, part) -> SolrUpdateFunctions.ADD_EVERYWHERE.validate(actors.get(number), part));
        parts.forEach((number, part) -> apply(SolrUpdateFunctions.ADD_EVERYWHERE, actors.get(number), part));
    }

    /** Deletes the results of a query on every actor. */
    void deleteByQuery(String query) {
        Document row = new Document("query", Map.of("query", query));
        for (SolrActor actor : actors) {
            apply(SolrUpdateFunctions.DELETE_BY_QUERY, actor, List.of(row));
        }
    }

    private void apply(EventualUpdate<SolrActor, Document> function, SolrActor actor, List<Document> rows) {
        function.validate(actor, rows);
        function.update(actor, new UpdateContext(++index), rows);
        actor.publish();
    }

    void delete(List<Document> rows) {
        apply(SolrUpdateFunctions.DELETE, rows);
    }

    private void apply(EventualUpdate<SolrActor, Document> function, List<Document> rows) {
        Map<Integer, List<Document>> parts = new TreeMap<>();
        rows.forEach(
                row -> parts.computeIfAbsent(meta.partitioner().actorOf(row.partitionKey()), a -> new ArrayList<>())
                        .add(row));
        parts.forEach((number, part) -> apply(function, actors.get(number), part));
    }

    /** Returns the answer's JSON. */
    String query(String text) {
        return engine.planner()
                .orElseThrow()
                .answer(new QueryText(meta.name(), text), this)
                .body()
                .utf8();
    }

    /** No updates run during a query here; queries that need one state are counted. */
    @Override
    public void useRepeatableReads() {
        statesWanted++;
    }

    /** Number of queries so far whose rounds needed the same state. */
    int statesWanted() {
        return statesWanted;
    }

    @Override
    public TableMeta table(TableName name) {
        return meta;
    }

    @Override
    public <P, V, R> R retrieve(TableName table, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        Set<Integer> all =
                new TreeSet<>(IntStream.range(0, actors.size()).boxed().toList());
        return retrieve(table, all, call, parameters, combiner);
    }

    @Override
    public <P, V, R> R retrieve(
            TableName table, Set<Integer> on, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        throw new UnsupportedOperationException("the planner asks each actor by itself");
    }

    @Override
    public <P, V> Map<Integer, V> retrieveEach(
            TableName table, RetrieveCall<PerActorParameters<P>, V> call, Map<Integer, P> parameters) {
        rounds.add(Set.copyOf(parameters.keySet()));
        Bytes encoded = call.parameters().encode(PerActorParameters.of(parameters));
        PerActorParameters<ShardRequestBatcher.Parameters> decoded =
                SolrQuery.SHARD.parameters().decode(encoded);
        Map<Integer, V> values = new TreeMap<>();
        for (int actor : parameters.keySet()) {
            Bytes reply = SolrQuery.SHARD.retrieve(actors.get(actor), operator(actor), decoded);
            values.put(actor, call.values().decode(Codecs.BYTES.encode(reply)));
        }
        return values;
    }

    /** Returns the answer's JSON from this actor's core alone. */
    String query(int actor, String text) {
        return SolrQuery.WHOLE
                .retrieve(actors.get(actor), operator(actor), text)
                .body()
                .utf8();
    }

    @Override
    public long nanoTime() {
        return 0;
    }

    @Override
    public long remainingNanos() {
        return Long.MAX_VALUE;
    }

    private OperatorContext operator(int actor) {
        return new OperatorContext() {
            @Override
            public int actor() {
                return actor;
            }

            @Override
            public long remainingNanos() {
                return 60_000_000_000L;
            }

            @Override
            public void checkActive() {
                if (looks.decrementAndGet() < 0) {
                    throw new UniserveException(ErrorCode.CANCELLED, "the caller has gone");
                }
            }
        };
    }
}
