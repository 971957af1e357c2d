package io.uniserve.server.read;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorView;
import io.uniserve.api.Document;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.operator.Merger;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.access.UserLimits;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.kv.KvActor;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.port.kv.KvUpdateFunctions;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.exchange.ExchangeLimits;
import io.uniserve.protocol.gate.InDoubtResolution;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.transaction.server.VersionedSnapshotCache;
import io.uniserve.runtime.config.ServerSettings;
import io.uniserve.runtime.disk.FileDisk;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.server.exchange.ExchangeHost;
import io.uniserve.server.read.session.PinnedActor;
import io.uniserve.server.read.worker.UserMemoryBudget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Read service over real key-value actors, with gates that the test sets. */
final class ReadWorld implements AutoCloseable {
    static final long SECOND = 1_000_000_000L;
    static final TableName TABLE = new TableName("t");
    static final long TABLE_ID = 9;
    static final long SESSION_BYTES = 1 << 20;

    final AtomicReference<Throwable> fatal = new AtomicReference<>();
    final EventLoop loop = new EventLoop("test-server", SystemClock.INSTANCE, fatal::set);
    final GateTable gates = new GateTable();
    final Map<ReplicaKey, KvActor> actors = new ConcurrentHashMap<>();
    /** Number of each actor's state; absent while it changes. */
    final Map<KvActor, Long> states = new ConcurrentHashMap<>();

    final Map<String, Operator<?, ?>> extra = new ConcurrentHashMap<>();
    final AtomicInteger pins = new AtomicInteger();
    /** States by version, for actors of atomic tables. */
    final Map<ReplicaKey, VersionedSnapshotCache<ActorView>> shelves = new ConcurrentHashMap<>();

    final AtomicReference<ReadInDoubtResolver> settled = new AtomicReference<>(
            (table, key, at, defers, done) -> done.done(Outcome.ok(InDoubtResolution.NOTHING_OMITTED)));
    final List<Runnable> waiting = new CopyOnWriteArrayList<>();
    private final List<String> unpublished = new CopyOnWriteArrayList<>();
    final AtomicInteger refreshes = new AtomicInteger();
    final EngineInstance engine = new KvEngine().open(new EngineContext(Path.of("unused"), Map.of()));
    final ShardSetTracker sets = new ShardSetTracker(SystemClock.INSTANCE);
    final FileDisk disk = new FileDisk(folder(), 1, loop);
    final ExchangeHost exchange;
    /** True for mode open, where names of clients are not users. */
    volatile boolean open;

    /** Limits of every user. */
    volatile UserLimits limits = UserLimits.NONE;

    final ReadService service;

    private static Path folder() {
        try {
            return Files.createTempDirectory("reads");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ReadWorld(int threads, int queue, long memory) {
        this(threads, queue, memory, true);
    }

    /** Creates the service, with or without spare threads for long reads. */
    ReadWorld(int threads, int queue, long memory, boolean fair) {
        this(threads, queue, memory, fair, ExchangeLimits.DEFAULTS);
    }

    /** Creates the service with these limits of chunks. */
    ReadWorld(ExchangeLimits exchangeLimits) {
        this(2, 100, 256L << 20, true, exchangeLimits);
    }

    private ReadWorld(int threads, int queue, long memory, boolean fair, ExchangeLimits exchangeLimits) {
        exchange = new ExchangeHost(
                SystemClock.INSTANCE,
                loop,
                (to, request, timeout, done) -> {
                    if (!to.host().equals("silent")) {
                        loop.execute(() -> done.done(Outcome.err(
                                new UniserveException(ErrorCode.UNAVAILABLE, "no server listens at " + to))));
                    }
                },
                disk,
                new Address("localhost", 1),
                exchangeLimits,
                1);
        ServerSettings.Work work = new ServerSettings.Work(
                threads, 1, 1, queue, 1, Duration.ofMillis(300), memory, SESSION_BYTES, Duration.ofHours(1), fair);
        Routing routing = new Routing("c", List.of(), List.of(known("silent"), known("localhost")), null);
        service = new ReadService(
                SystemClock.INSTANCE,
                loop,
                work,
                gates,
                this::pin,
                new ReadCostCounter(),
                sets,
                () -> Optional.of(routing),
                table -> refreshes.incrementAndGet(),
                new OutOfMemoryPolicy(fatal::set),
                (table, key, at, defers, done) ->
                        Objects.requireNonNull(settled.get()).resolve(table, key, at, defers, done),
                exchange,
                name -> open ? "" : name,
                new UserMemoryBudget(user -> limits),
                1);
    }

    private static ServerRecord known(String host) {
        return new ServerRecord(new ServerId(host), 1, new Address(host, 2), "z", new Capacity(1, 1, 1), List.of());
    }

    ReadWorld() {
        this(2, 100, 256L << 20);
    }

    /** Creates an actor with documents k0 to k(rows-1), each with n = its number, open to readers at epoch 1. */
    void actor(int actor, int rows) {
        TableMeta meta = new TableMeta(
                TABLE,
                TABLE_ID,
                new Partitioner.Hash(8),
                "id",
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                "kv",
                Map.of());
        KvActor made = (KvActor) engine.actors().create(new ActorContext(meta, actor, Path.of("unused")));
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            documents.add(new Document("id", Map.of("id", "k" + i, "n", (long) i)));
        }
        KvUpdateFunctions.PUT.update(made, new UpdateContext(1), documents);
        made.publish();
        actors.put(new ReplicaKey(TABLE_ID, actor), made);
        gate(actor, 1, true, SECOND, 1);
    }

    void gate(int actor, long epoch, boolean serving, long leaseNanos, long applied) {
        gates.publish(
                new ReplicaKey(TABLE_ID, actor),
                new ReadGate(actor, epoch, serving, SystemClock.INSTANCE.nanos() + leaseNanos * 60, applied));
    }

    /** Stores the actor's present contents as its state at this version. */
    void keep(int actor, long version, long bytesMax) {
        ReplicaKey key = new ReplicaKey(TABLE_ID, actor);
        shelves.computeIfAbsent(key, k -> new VersionedSnapshotCache<>(bytesMax, state -> {}))
                .add(version, Objects.requireNonNull(actors.get(key)).snapshot(), 1);
    }

    /** Puts one more document. */
    void put(int actor, String id) {
        KvUpdateFunctions.PUT.update(
                Objects.requireNonNull(actors.get(new ReplicaKey(TABLE_ID, actor))),
                new UpdateContext(2),
                List.of(new Document("id", Map.of("id", id))));
    }

    private Optional<PinnedActor> pin(ReplicaKey key) {
        return Optional.ofNullable(actors.get(key)).map(actor -> {
            pins.incrementAndGet();
            return new Pinned(key, actor);
        });
    }

    private final class Pinned implements PinnedActor {
        private final ReplicaKey key;
        private final KvActor actor;

        private Pinned(ReplicaKey key, KvActor actor) {
            this.key = key;
            this.actor = actor;
        }

        @Override
        public boolean isAtomic() {
            return shelves.containsKey(key);
        }

        @Override
        public Optional<VersionedSnapshotCache.Ref<ActorView>> snapshotAt(long version) {
            return Objects.requireNonNull(shelves.get(key)).acquire(version);
        }

        @Override
        public Actor actor() {
            return actor;
        }

        @Override
        public long stateNumber() {
            return states.getOrDefault(actor, 0L);
        }

        @Override
        public Optional<Operator<?, ?>> operator(String id) {
            Operator<?, ?> added = extra.get(id);
            return added != null
                    ? Optional.of(added)
                    : engine.operators().stream()
                            .filter(operator -> operator.id().equals(id))
                            .findFirst()
                            .map(operator -> operator);
        }

        @Override
        public <T> T call(String what, Supplier<T> work) {
            return work.get();
        }

        @Override
        public boolean isPublished() {
            return unpublished.isEmpty();
        }

        @Override
        public void publishThen(Runnable task) {
            waiting.add(task);
        }

        @Override
        public void close() {
            pins.decrementAndGet();
        }
    }

    /** Leaves all actors with an unpublished update; the next read publishes it. */
    void unpublish() {
        unpublished.add("update");
    }

    /** Publishes, or fails if not {@code possible}, and wakes all waiting reads. */
    void publish(boolean possible) {
        unpublished.clear();
        if (!possible) {
            actors.clear();
        }
        waiting.forEach(Runnable::run);
        waiting.clear();
    }

    /** Adds an operator without a merger that runs this body. */
    void operator(String id, BiFunction<KvActor, OperatorContext, Bytes> body) {
        operator(id, false, body, Optional.empty());
    }

    /** Adds an operator as {@link #operator}, with the promise to be brief. */
    void brief(String id, BiFunction<KvActor, OperatorContext, Bytes> body) {
        operator(id, true, body, Optional.empty());
    }

    /** Adds an operator that runs this body, with a merger of its bytes. */
    void merging(String id, BiFunction<KvActor, OperatorContext, Bytes> body, BinaryOperator<Bytes> join) {
        operator(id, false, body, Optional.of((parameters, left, right) -> join.apply(left, right)));
    }

    /** Adds an operator that runs this body, with this merger. */
    void merging(String id, BiFunction<KvActor, OperatorContext, Bytes> body, Merger<String, Bytes> merger) {
        operator(id, false, body, Optional.of(merger));
    }

    private void operator(
            String id,
            boolean brief,
            BiFunction<KvActor, OperatorContext, Bytes> body,
            Optional<Merger<String, Bytes>> merger) {
        extra.put(id, new RetrieveOperator<KvActor, String, Bytes>() {
            @Override
            public String id() {
                return id;
            }

            @Override
            public Class<KvActor> actorType() {
                return KvActor.class;
            }

            @Override
            public Codec<String> parameters() {
                return Codecs.STRING;
            }

            @Override
            public boolean mayRunInline(String parameters) {
                return brief;
            }

            @Override
            public Bytes retrieve(KvActor actor, OperatorContext context, String parameters) {
                return body.apply(actor, context);
            }

            @Override
            public Codec<Bytes> values() {
                return Codecs.BYTES;
            }

            @Override
            public Optional<Merger<String, Bytes>> merger() {
                return merger;
            }
        });
    }

    static ReadRequest request(String operator, Bytes parameters, long remainingNanos, ReadRequest.Target... targets) {
        return new ReadRequest(
                TABLE,
                TABLE_ID,
                List.of(targets),
                operator,
                parameters,
                1,
                2,
                0,
                remainingNanos,
                ReadMode.LINEARIZABLE);
    }

    static ReadRequest request(String operator, String parameter, int... actors) {
        ReadRequest.Target[] targets = IntStream.of(actors)
                .mapToObj(actor -> new ReadRequest.Target(actor, 1, 0))
                .toArray(ReadRequest.Target[]::new);
        return request(operator, Codecs.STRING.encode(parameter), 20 * SECOND, targets);
    }

    CompletableFuture<Outcome<ReadReply>> start(ReadRequest request) {
        CompletableFuture<Outcome<ReadReply>> future = new CompletableFuture<>();
        var unused = service.read(request, future::complete);
        return future;
    }

    ReadReply read(ReadRequest request) {
        Outcome<ReadReply> outcome = start(request).join();
        if (outcome instanceof Outcome.Err<ReadReply> failed) {
            throw failed.error();
        }
        return ((Outcome.Ok<ReadReply>) outcome).value();
    }

    @Override
    public void close() {
        service.close();
        disk.close();
        loop.close();
        engine.close();
    }
}
