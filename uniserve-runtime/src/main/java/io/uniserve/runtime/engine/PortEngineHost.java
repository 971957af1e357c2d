package io.uniserve.runtime.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorUsage;
import io.uniserve.api.EngineContext;
import io.uniserve.api.extra.MutableOptions;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.plan.Planner;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.PortInfo;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.ReservedTableOptions;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.EngineHost;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.RowStateDependency;
import io.uniserve.protocol.transaction.server.TransactionService;
import io.uniserve.runtime.async.DiskErrorMapper;
import io.uniserve.runtime.disk.DiskPathMapper;
import io.uniserve.runtime.disk.DurableFileOperations;
import io.uniserve.runtime.port.LoadedPort;
import io.uniserve.runtime.port.PortBuildId;
import io.uniserve.runtime.time.RandomIdGenerator;
import io.uniserve.runtime.time.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Engine host: the ports of this process and their open actors. Engine calls run on a bounded pool, completions on the loop. Calls
 * that change an actor run one at a time per replica, in order; validation, digest and usage run in parallel to them. Readers pin
 * actors from any thread.
 */
public final class PortEngineHost implements EngineHost, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PortEngineHost.class);

    private final Path data;
    private final Path scratch;
    private final EngineCallExecutor calls;
    private final Map<String, RunningPort> ports = new TreeMap<>();
    private final ConcurrentHashMap<ReplicaKey, HostedActor> actors = new ConcurrentHashMap<>();
    private final AtomicLong directoryNumbers = new AtomicLong();
    /** Starts at a random number, so that numbers differ from those of an earlier process. */
    private final AtomicLong stateNumbers = new AtomicLong(new RandomIdGenerator().next());

    /**
     * Opens the engines. Empties the scratch directory first: live files of engines are not used after a restart.
     *
     * @param data root of the server's disk, with the checkpoints
     * @param scratch directory for engines and open actors, best on the same file system
     * @param settings each port's section of the configuration
     * @param threads number of concurrent engine calls
     * @param fatal receives, on any thread, an error after which the process must end, such as a lack of memory
     */
    public PortEngineHost(
            Path data,
            Path scratch,
            Map<String, LoadedPort> loaded,
            Map<String, Map<String, String>> settings,
            int threads,
            Executor loop,
            Consumer<Throwable> fatal) {
        this(data, scratch, loaded, settings, new EngineCallExecutor(threads, loop, SystemClock.INSTANCE, fatal));
    }

    PortEngineHost(
            Path data,
            Path scratch,
            Map<String, LoadedPort> loaded,
            Map<String, Map<String, String>> settings,
            EngineCallExecutor calls) {
        this.data = data;
        this.scratch = scratch;
        this.calls = calls;
        boolean opened = false;
        try {
            DurableFileOperations.deleteTree(scratch);
            for (Map.Entry<String, LoadedPort> entry : loaded.entrySet()) {
                Path directory = Files.createDirectories(scratch.resolve("engine-" + entry.getKey()));
                Map<String, String> own = settings.getOrDefault(entry.getKey(), Map.of());
                ports.put(
                        entry.getKey(),
                        new RunningPort(entry.getKey(), entry.getValue(), new EngineContext(directory, own)));
            }
            opened = true;
        } catch (IOException e) {
            throw DiskErrorMapper.of("cannot prepare the scratch directory " + scratch, e);
        } finally {
            if (!opened) {
                close();
            }
        }
    }

    /** Descriptions of the ports, which a server registers. */
    public List<PortInfo> infos() {
        return ports.values().stream().map(RunningPort::info).toList();
    }

    /** Validates a table's definition with its port: of a new table, or of one that replaces another. Changes nothing. */
    public void validateTable(TableMeta meta, Optional<TableMeta> before, Completion<Done> completion) {
        calls.runConcurrently("validate " + meta.name(), completion, () -> {
            port(meta.port())
                    .validate(
                            ReservedTableOptions.withoutReserved(meta),
                            before.map(ReservedTableOptions::withoutReserved));
            return Done.DONE;
        });
    }

    /** Planner of the port. Fails with UNSUPPORTED if it has none. */
    public Planner planner(String port) {
        return port(port)
                .planner()
                .orElseThrow(() -> new UniserveException(
                        ErrorCode.UNSUPPORTED, "port " + port + " has no query language; use its operators"));
    }

    /** Runs code of a port, such as its planner, with its class loader on the calling thread, and maps its errors. */
    public <T> T call(String port, String what, java.util.function.Supplier<T> work) {
        return port(port).call(what, work);
    }

    /** Pins the replica's actor for a reader; empty if it is not open. The caller releases it once. */
    public Optional<HostedActor> pin(ReplicaKey key) {
        HostedActor hosted = actors.get(key);
        return hosted != null && hosted.acquire() ? Optional.of(hosted) : Optional.empty();
    }

    /** Operator of this port by {@code name@version}, which may {@linkplain PortBuildId name a build}; empty if it has none. */
    public Optional<Operator<?, ?>> operator(String port, String id) {
        RunningPort open = ports.get(port);
        return open == null || !PortBuildId.matches(id, open.buildId())
                ? Optional.empty()
                : open.operator(PortBuildId.withoutBuild(id));
    }

    /** Build of the port; empty if it is unknown or the port is not loaded. */
    public String buildId(String port) {
        RunningPort open = ports.get(port);
        return open == null ? "" : open.buildId();
    }

    /** Running calls with their start times, to find one that hangs. */
    public List<EngineCallExecutor.Running> running() {
        return calls.running();
    }

    /** Time of the longest running call in nanoseconds; 0 if none is running. */
    public long longestRunningNanos() {
        return calls.longestNanos();
    }

    private RunningPort port(String name) {
        RunningPort port = ports.get(name);
        if (port == null) {
            throw new UniserveException(
                    ErrorCode.UNKNOWN_PORT, "this server has no port \"" + name + "\"; it has " + ports.keySet());
        }
        return port;
    }

    @Override
    public void create(ReplicaKey key, TableMeta meta, Completion<Done> completion) {
        calls.runInOrder(key, "create " + key, completion, () -> {
            TableMeta own = MutableOptions.withoutMutableOptions(ReservedTableOptions.withoutReserved(meta));
            make(key, own, 0, RunningPort::create);
            return Done.DONE;
        });
    }

    @Override
    public void restore(ReplicaKey key, TableMeta meta, String checkpointPath, Completion<Done> completion) {
        restore(key, meta, checkpointPath, 0, completion);
    }

    @Override
    public void restore(
            ReplicaKey key, TableMeta meta, String checkpointPath, long version, Completion<Done> completion) {
        calls.runInOrder(key, "restore " + key, completion, EngineCallExecutor.inBackground(() -> {
            Path laidOut = newDirectory("restore-" + key);
            try {
                CheckpointDirectoryFormat.unseal(DiskPathMapper.resolve(data, checkpointPath), laidOut);
                TableMeta own = MutableOptionsFile.readAndDelete(ReservedTableOptions.withoutReserved(meta), laidOut);
                make(key, own, version, (port, context) -> port.restore(context, laidOut));
            } finally {
                DurableFileOperations.deleteTree(laidOut);
            }
            return Done.DONE;
        }));
    }

    @Override
    public void validate(ReplicaKey key, String function, Bytes rows, Completion<RowStateDependency> completion) {
        runConcurrently("validate rows for " + key, key, completion, hosted -> {
            RunningPort port = hosted.port();
            if (function.equals(MutableOptions.FUNCTION) && !hosted.isAtomic()) {
                TableMeta next = MutableOptionsFile.withOptions(hosted.meta(), rows);
                port.validate(next, Optional.of(hosted.meta()));
                return Optional.of(RowStateDependency.NONE);
            }
            return port.call(function + " validate", () -> {
                DecodedRowBatch batch = DecodedRowBatch.of(port.update(function), hosted.actor(), rows);
                if (hosted.isAtomic()) {
                    batch.validateAtomic();
                    hosted.transactionState().cacheValidated(function, rows, batch);
                    return Optional.of(batch.condition());
                }
                if (batch.readsActor() && !hosted.isPublished()) {
                    return Optional.empty();
                }
                batch.validate();
                return Optional.of(batch.condition());
            });
        });
    }

    /** Runs work in parallel to other calls. If it returns empty, runs it again when everything applied is published. */
    private <T> void runConcurrently(
            String what, ReplicaKey key, Completion<T> completion, Function<HostedActor, Optional<T>> work) {
        Completion<Optional<T>> step = outcome -> {
            if (outcome instanceof Outcome.Err<Optional<T>> err) {
                completion.done(Outcome.err(err.error()));
                return;
            }
            Optional<T> value = outcome.value();
            HostedActor now = actors.get(key);
            Runnable again = () -> runConcurrently(what, key, completion, work);
            if (value.isPresent()) {
                completion.done(Outcome.ok(value.get()));
            } else if (now == null) {
                again.run();
            } else if (!now.isPublished()) { // this call counts as a read, so updates get published and the loop ends
                now.publishThen(again);
            } else {
                again.run();
            }
        };
        calls.runConcurrently(what, step, () -> {
            HostedActor hosted = requireActor(key);
            try {
                return work.apply(hosted);
            } finally {
                hosted.release();
            }
        });
    }

    @Override
    public void apply(ReplicaKey key, List<Update> updates, boolean publish, Completion<Done> completion) {
        calls.runInOrder(key, "apply to " + key, completion, () -> {
            int from = 0;
            for (int i = 0; i < updates.size(); i++) {
                if (updates.get(i).function().equals(MutableOptions.FUNCTION)) {
                    apply(key, updates.subList(from, i), publish);
                    Bytes rows = updates.get(i).rows();
                    runChange(key, hosted -> recreate(key, hosted, rows));
                    from = i + 1;
                }
            }
            return apply(key, updates.subList(from, updates.size()), publish);
        });
    }

    private Done apply(ReplicaKey key, List<Update> updates, boolean publish) throws IOException {
        return runChange(key, hosted -> {
            RunningPort port = hosted.port();
            hosted.beginChange();
            for (Update update : updates) {
                port.run(
                        update.function(),
                        () -> DecodedRowBatch.of(port.update(update.function()), hosted.actor(), update.rows())
                                .apply(update.index()));
            }
            boolean now = publish || hosted.publicationTracker().isReadRecently(calls.now());
            if (now) {
                port.run("publish", hosted.actor()::publish);
            } else {
                hosted.publicationTracker().onApplied();
            }
            hosted.endChange(nextStateNumber());
            if (now) {
                hosted.publicationTracker().onPublished();
            }
        });
    }

    /**
     * Replaces the actor by one with other options, restored from its published files; current readers keep the old one. Ignores a
     * change that the port does not allow, or no longer allows: it was validated before it was logged.
     */
    private void recreate(ReplicaKey key, HostedActor hosted, Bytes rows) throws IOException {
        TableMeta next = MutableOptionsFile.withOptions(hosted.meta(), rows);
        if (next.equals(hosted.meta()) || !hosted.port().acceptsChange(next, hosted.meta())) {
            return;
        }
        publish(hosted);
        Path written = newDirectory("remake-" + key);
        try {
            hosted.port().run("writing the actor", () -> hosted.actor().writeTo(written));
            make(key, next, 0, (port, context) -> port.restore(context, written));
        } finally {
            DurableFileOperations.deleteTree(written);
        }
    }

    @Override
    public void prepare(ReplicaKey key, long version, List<Update> batches, Completion<Done> completion) {
        calls.runInOrder(
                key,
                "prepare version " + version + " on " + key,
                completion,
                () -> runChange(key, hosted -> hosted.transactionState().prepare(version, batches)));
    }

    @Override
    public void decide(ReplicaKey key, long version, boolean commit, Completion<Done> completion) {
        calls.runInOrder(
                key,
                (commit ? "commit version " : "abort version ") + version + " on " + key,
                completion,
                () -> runChange(key, hosted -> {
                    if (commit) {
                        hosted.beginChange();
                        hosted.transactionState().commit(version);
                        hosted.endChange(nextStateNumber());
                    } else {
                        hosted.transactionState().abort(version);
                    }
                }));
    }

    @Override
    public void publish(ReplicaKey key, Completion<Done> completion) {
        calls.runInOrder(key, "publish " + key, completion, () -> runChange(key, this::publish));
    }

    private void publish(HostedActor hosted) {
        if (!hosted.publicationTracker().isIdle()) {
            hosted.beginChange();
            hosted.port().run("publish", hosted.actor()::publish);
            hosted.endChange(nextStateNumber());
            hosted.publicationTracker().onPublished();
        }
    }

    /** Publishes an actor for readers; does nothing if it was replaced or closed meanwhile. */
    private void publishForReaders(ReplicaKey key, PublicationTracker publicationTracker) {
        Completion<Done> end = outcome -> {
            if (outcome instanceof Outcome.Err<Done> err) {
                LOG.warn("{}: publishing for readers failed", key, err.error());
                publicationTracker.endPublication();
            }
        };
        calls.runInOrder(key, "publish " + key + " for readers", end, () -> {
            HostedActor now = actors.get(key);
            if (now != null && now.publicationTracker() == publicationTracker) {
                runChange(key, this::publish);
            }
            publicationTracker.endPublication();
            return Done.DONE;
        });
    }

    /** Runs work that changes the actor. If it fails, the actor is discarded, as its contents are unknown. */
    private Done runChange(ReplicaKey key, Change work) throws IOException {
        HostedActor hosted = requireActor(key);
        boolean done = false;
        try {
            work.apply(hosted);
            done = true;
        } finally {
            if (!done) {
                discard(key);
            }
            hosted.release();
        }
        return Done.DONE;
    }

    /** Change of an actor. */
    @FunctionalInterface
    private interface Change {
        void apply(HostedActor hosted) throws IOException;
    }

    @Override
    public void checkpoint(ReplicaKey key, String checkpointPath, Completion<Done> completion) {
        calls.runInOrder(key, "checkpoint " + key, completion, EngineCallExecutor.inBackground(() -> {
            runChange(key, this::publish);
            HostedActor hosted = requireActor(key);
            Path target = DiskPathMapper.resolve(data, checkpointPath);
            Path written = newDirectory("checkpoint-" + key);
            try {
                hosted.port().run("writing a checkpoint", () -> hosted.actor().writeTo(written));
                MutableOptionsFile.writeTo(hosted.meta(), written);
                DurableFileOperations.deleteTree(target);
                DurableFileOperations.createDirectories(target);
                CheckpointDirectoryFormat.seal(written, target);
            } finally {
                hosted.release();
                DurableFileOperations.deleteTree(written);
            }
            return Done.DONE;
        }));
    }

    @Override
    public void verify(String checkpointPath, Completion<Done> completion) {
        calls.runConcurrently("verify " + checkpointPath, completion, () -> {
            CheckpointDirectoryFormat.verify(DiskPathMapper.resolve(data, checkpointPath));
            return Done.DONE;
        });
    }

    @Override
    public void digest(ReplicaKey key, Completion<Bytes> completion) {
        runConcurrently("digest " + key, key, completion, hosted -> {
            if (!hosted.publicationTracker().isIdle()) {
                return Optional.empty();
            }
            return Optional.of(hosted.port()
                    .call(
                            "digest",
                            () -> MutableOptionsFile.digest(
                                    hosted.meta(), hosted.actor().digest())));
        });
    }

    @Override
    public void usage(ReplicaKey key, Completion<ActorUsage> completion) {
        calls.runConcurrently("usage of " + key, completion, () -> withActor(key, "usage", Actor::usage));
    }

    @Override
    public void destroy(ReplicaKey key, Completion<Done> completion) {
        calls.runInOrder(key, "destroy " + key, completion, () -> {
            discard(key);
            return Done.DONE;
        });
    }

    private void discard(ReplicaKey key) {
        HostedActor hosted = actors.remove(key);
        if (hosted != null) {
            hosted.release();
        }
    }

    /** Memory for the older states of one actor: all actors share a part of the heap. */
    private long stateBytesMax() {
        return Limits.SNAPSHOT_HEAP_PERMILLE * (Runtime.getRuntime().maxMemory() / 1_000) / Math.max(1, actors.size());
    }

    private long nextStateNumber() {
        long number = stateNumbers.incrementAndGet();
        return number == 0 ? stateNumbers.incrementAndGet() : number;
    }

    private <T> T withActor(ReplicaKey key, String what, Function<Actor, T> work) {
        HostedActor hosted = requireActor(key);
        try {
            return hosted.port().call(what, () -> work.apply(hosted.actor()));
        } finally {
            hosted.release();
        }
    }

    private HostedActor requireActor(ReplicaKey key) {
        return pin(key).orElseThrow(
                        () -> new UniserveException(ErrorCode.UNAVAILABLE, "no actor of " + key + " is open"));
    }

    /** Factory of an actor. */
    @FunctionalInterface
    private interface Maker {
        Actor make(RunningPort port, ActorContext context);
    }

    /** Creates an actor in its own scratch directory and replaces the present one. */
    private void make(ReplicaKey key, TableMeta meta, long version, Maker maker) throws IOException {
        RunningPort port = port(meta.port());
        Path own = newDirectory("actor-" + key);
        boolean made = false;
        try {
            Actor actor = maker.make(port, new ActorContext(meta, key.actor(), own));
            ActorTransactionState parts = TransactionService.isAtomic(meta.level())
                    ? new ActorTransactionState(port, actor, version, this::stateBytesMax)
                    : null;
            made = true;
            HostedActor hosted = new HostedActor(
                    actor,
                    meta,
                    port,
                    nextStateNumber(),
                    new PublicationTracker(self -> publishForReaders(key, self)),
                    parts,
                    () -> dispose(key, port, actor, parts, own));
            HostedActor old = actors.put(key, hosted);
            if (old != null) {
                old.release();
            }
        } finally {
            if (!made) {
                DurableFileOperations.deleteTree(own);
            }
        }
    }

    /** Destroys an actor after its last release. Runs on the pool, as the releasing thread may be a reader's. */
    private void dispose(
            ReplicaKey key, RunningPort port, Actor actor, @Nullable ActorTransactionState parts, Path own) {
        calls.runDetached("destroy the actor of " + key, () -> {
            try {
                if (parts != null) {
                    parts.close();
                }
                port.run("destroying an actor", actor::destroy);
            } finally {
                deleteQuietly(own);
            }
        });
    }

    private static void deleteQuietly(Path own) {
        try {
            DurableFileOperations.deleteTree(own);
        } catch (IOException e) {
            LOG.warn("cannot delete {}; it is deleted at the next start", own, e);
        }
    }

    private Path newDirectory(String name) throws IOException {
        return Files.createDirectories(scratch.resolve(name + "-" + directoryNumbers.incrementAndGet()));
    }

    /** Waits for running calls, then closes all actors and engines. */
    @Override
    public void close() {
        calls.close();
        actors.values().forEach(hosted -> closeLogged(hosted::close));
        ports.values().forEach(port -> closeLogged(port::close));
    }

    /** Closes a resource; a failure does not prevent closing the others. */
    private static void closeLogged(Runnable close) {
        try {
            close.run();
        } catch (UniserveException e) {
            LOG.warn("closing an actor or engine failed", e);
        }
    }
}
