package io.uniserve.runtime.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorUsage;
import io.uniserve.api.EngineContext;
import io.uniserve.api.MutableOptions;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.plan.Planner;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.PortInfo;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableMeta;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.EngineHost;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.RowCondition;
import io.uniserve.protocol.tx.TransactionService;
import io.uniserve.runtime.async.DiskErrors;
import io.uniserve.runtime.disk.DiskPaths;
import io.uniserve.runtime.disk.DurableFiles;
import io.uniserve.runtime.port.LoadedPort;
import io.uniserve.runtime.port.PortBuild;
import io.uniserve.runtime.time.RandomIds;
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
 * The ports of this process and their live actors. Engine calls run on a bounded pool, completions on the loop. Calls
 * that change an actor run one at a time per replica, in order; checks, digest and usage run beside them. Readers pin actors
 * from any thread.
 */
public final class PortEngineHost implements EngineHost, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PortEngineHost.class);

    private final Path data;
    private final Path scratch;
    private final EngineCalls calls;
    private final Map<String, OpenPort> ports = new TreeMap<>();
    private final ConcurrentHashMap<ReplicaKey, HostedActor> actors = new ConcurrentHashMap<>();
    private final AtomicLong names = new AtomicLong();
    /** From a random start, so that no state has a number that an earlier process gave. */
    private final AtomicLong states = new AtomicLong(new RandomIds().next());

    /**
     * Opens the engines. The scratch directory is emptied first: live engine files never outlive the process.
     *
     * @param data root of the server's disk, on which checkpoints live
     * @param scratch for engines and live actors, best on the same file system
     * @param settings each port's section of the configuration
     * @param threads engine calls at a time
     * @param fatal hears, on any thread, of an error after which the process must end, e.g. a lack of memory
     */
    public PortEngineHost(
            Path data,
            Path scratch,
            Map<String, LoadedPort> loaded,
            Map<String, Map<String, String>> settings,
            int threads,
            Executor loop,
            Consumer<Throwable> fatal) {
        this(data, scratch, loaded, settings, new EngineCalls(threads, loop, SystemClock.INSTANCE, fatal));
    }

    PortEngineHost(
            Path data,
            Path scratch,
            Map<String, LoadedPort> loaded,
            Map<String, Map<String, String>> settings,
            EngineCalls calls) {
        this.data = data;
        this.scratch = scratch;
        this.calls = calls;
        boolean opened = false;
        try {
            DurableFiles.deleteTree(scratch);
            for (Map.Entry<String, LoadedPort> entry : loaded.entrySet()) {
                Path directory = Files.createDirectories(scratch.resolve("engine-" + entry.getKey()));
                Map<String, String> own = settings.getOrDefault(entry.getKey(), Map.of());
                ports.put(
                        entry.getKey(),
                        new OpenPort(entry.getKey(), entry.getValue(), new EngineContext(directory, own)));
            }
            opened = true;
        } catch (IOException e) {
            throw DiskErrors.of("cannot prepare the scratch directory " + scratch, e);
        } finally {
            if (!opened) {
                close();
            }
        }
    }

    /** The ports, as a server advertises them. */
    public List<PortInfo> infos() {
        return ports.values().stream().map(OpenPort::info).toList();
    }

    /** Checks a table's definition with its port, a new table's or one that replaces another; nothing changes. */
    public void validateTable(TableMeta meta, Optional<TableMeta> before, Completion<Done> completion) {
        calls.beside("validate " + meta.name(), completion, () -> {
            port(meta.port()).validate(meta, before);
            return Done.DONE;
        });
    }

    /** The planner of the port; UNSUPPORTED where it has none. */
    public Planner planner(String port) {
        return port(port)
                .planner()
                .orElseThrow(() -> new UniserveException(
                        ErrorCode.UNSUPPORTED, "port " + port + " has no query language; use its operators"));
    }

    /** Runs code of a port, e.g. its planner, with its class loader and its errors translated, on the caller's thread. */
    public <T> T call(String port, String what, java.util.function.Supplier<T> work) {
        return port(port).call(what, work);
    }

    /** Holds the replica's actor for a reader; empty where there is none. The caller releases it once. */
    public Optional<HostedActor> pin(ReplicaKey key) {
        HostedActor hosted = actors.get(key);
        return hosted != null && hosted.hold() ? Optional.of(hosted) : Optional.empty();
    }

    /** The operator of this port, {@code name@version}, which may {@linkplain PortBuild name a build}; empty where it has none. */
    public Optional<Operator<?, ?>> operator(String port, String id) {
        OpenPort open = ports.get(port);
        return open == null || !PortBuild.is(id, open.build()) ? Optional.empty() : open.operator(PortBuild.plain(id));
    }

    /** What tells the port from other builds of it; empty where nothing does, or it is not here. */
    public String build(String port) {
        OpenPort open = ports.get(port);
        return open == null ? "" : open.build();
    }

    /** The calls that run now and since when, for operators who look for one that hangs. */
    public List<EngineCalls.Running> running() {
        return calls.running();
    }

    /** How long the longest of the running calls runs, in nanoseconds; 0 where none runs. */
    public long longestRunningNanos() {
        return calls.longestNanos();
    }

    private OpenPort port(String name) {
        OpenPort port = ports.get(name);
        if (port == null) {
            throw new UniserveException(
                    ErrorCode.UNKNOWN_PORT, "this server has no port \"" + name + "\"; it has " + ports.keySet());
        }
        return port;
    }

    @Override
    public void create(ReplicaKey key, TableMeta meta, Completion<Done> completion) {
        calls.inOrder(key, "create " + key, completion, () -> {
            make(key, MutableOptions.created(meta), 0, OpenPort::create);
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
        calls.inOrder(key, "restore " + key, completion, () -> {
            Path laidOut = newDirectory("restore-" + key);
            try {
                CheckpointFiles.unseal(DiskPaths.resolve(data, checkpointPath), laidOut);
                TableMeta own = MutableOptionsFile.taken(meta, laidOut);
                make(key, own, version, (port, context) -> port.restore(context, laidOut));
            } finally {
                DurableFiles.deleteTree(laidOut);
            }
            return Done.DONE;
        });
    }

    @Override
    public void validate(ReplicaKey key, String function, Bytes rows, Completion<RowCondition> completion) {
        beside("validate rows for " + key, key, completion, hosted -> {
            OpenPort port = hosted.port();
            if (function.equals(MutableOptions.FUNCTION) && !hosted.atomic()) {
                TableMeta next = MutableOptionsFile.changed(hosted.meta(), rows);
                port.validate(next, Optional.of(hosted.meta()));
                return Optional.of(RowCondition.NONE);
            }
            return port.call(function + " validate", () -> {
                RowBatch batch = RowBatch.of(port.update(function), hosted.actor(), rows);
                if (hosted.atomic()) {
                    batch.validateAtomic();
                    hosted.parts().checked(function, rows, batch);
                    return Optional.of(batch.condition());
                }
                if (batch.reads() && !hosted.published()) {
                    return Optional.empty();
                }
                batch.validate();
                return Optional.of(batch.condition());
            });
        });
    }

    /** Work beside other calls; where it gives nothing yet, once more when what is applied is published. */
    private <T> void beside(
            String what, ReplicaKey key, Completion<T> completion, Function<HostedActor, Optional<T>> work) {
        Completion<Optional<T>> step = outcome -> {
            if (outcome instanceof Outcome.Err<Optional<T>> err) {
                completion.done(Outcome.err(err.error()));
                return;
            }
            Optional<T> value = outcome.value();
            HostedActor now = actors.get(key);
            Runnable again = () -> beside(what, key, completion, work);
            if (value.isPresent()) {
                completion.done(Outcome.ok(value.get()));
            } else if (now == null) {
                again.run();
            } else if (!now.published()) { // from here on it counts as a reader, so that it comes to an end
                now.whenPublished(again);
            } else {
                again.run();
            }
        };
        calls.beside(what, step, () -> {
            HostedActor hosted = held(key);
            try {
                return work.apply(hosted);
            } finally {
                hosted.release();
            }
        });
    }

    @Override
    public void apply(ReplicaKey key, List<Update> updates, boolean publish, Completion<Done> completion) {
        calls.inOrder(key, "apply to " + key, completion, () -> {
            int from = 0;
            for (int i = 0; i < updates.size(); i++) {
                if (updates.get(i).function().equals(MutableOptions.FUNCTION)) {
                    apply(key, updates.subList(from, i), publish);
                    Bytes rows = updates.get(i).rows();
                    changing(key, hosted -> remake(key, hosted, rows));
                    from = i + 1;
                }
            }
            return apply(key, updates.subList(from, updates.size()), publish);
        });
    }

    private Done apply(ReplicaKey key, List<Update> updates, boolean publish) throws IOException {
        return changing(key, hosted -> {
            OpenPort port = hosted.port();
            hosted.changing();
            for (Update update : updates) {
                port.run(
                        update.function(),
                        () -> RowBatch.of(port.update(update.function()), hosted.actor(), update.rows())
                                .apply(update.index()));
            }
            boolean now = publish || hosted.publication().readLately(calls.now());
            if (now) {
                port.run("publish", hosted.actor()::publish);
            } else {
                hosted.publication().changed();
            }
            hosted.changed(newState());
            if (now) {
                hosted.publication().done();
            }
        });
    }

    /**
     * Puts an actor with other options in the place of this one, made from its published files; readers of this one stay with
     * it. What is no change that the port allows, or not any more, changes nothing: it was checked before it was logged.
     */
    private void remake(ReplicaKey key, HostedActor hosted, Bytes rows) throws IOException {
        TableMeta next = MutableOptionsFile.changed(hosted.meta(), rows);
        if (next.equals(hosted.meta()) || !hosted.port().allows(next, hosted.meta())) {
            return;
        }
        publish(hosted);
        Path written = newDirectory("remake-" + key);
        try {
            hosted.port().run("writing the actor", () -> hosted.actor().writeTo(written));
            make(key, next, 0, (port, context) -> port.restore(context, written));
        } finally {
            DurableFiles.deleteTree(written);
        }
    }

    @Override
    public void prepare(ReplicaKey key, long version, List<Update> batches, Completion<Done> completion) {
        calls.inOrder(
                key,
                "prepare version " + version + " on " + key,
                completion,
                () -> changing(key, hosted -> hosted.parts().prepare(version, batches)));
    }

    @Override
    public void decide(ReplicaKey key, long version, boolean commit, Completion<Done> completion) {
        calls.inOrder(
                key,
                (commit ? "commit version " : "abort version ") + version + " on " + key,
                completion,
                () -> changing(key, hosted -> {
                    if (commit) {
                        hosted.changing();
                        hosted.parts().commit(version);
                        hosted.changed(newState());
                    } else {
                        hosted.parts().abort(version);
                    }
                }));
    }

    @Override
    public void publish(ReplicaKey key, Completion<Done> completion) {
        calls.inOrder(key, "publish " + key, completion, () -> changing(key, this::publish));
    }

    private void publish(HostedActor hosted) {
        if (!hosted.publication().idle()) {
            hosted.changing();
            hosted.port().run("publish", hosted.actor()::publish);
            hosted.changed(newState());
            hosted.publication().done();
        }
    }

    /** For a reader who has found the actor with something to publish: one that was let go of meanwhile is left as it is. */
    private void publishForReaders(ReplicaKey key, PublicationTracker publicationTracker) {
        Completion<Done> end = outcome -> {
            if (outcome instanceof Outcome.Err<Done> err) {
                LOG.warn("{} cannot be published for its readers", key, err.error());
                publicationTracker.end();
            }
        };
        calls.inOrder(key, "publish " + key + " for readers", end, () -> {
            HostedActor now = actors.get(key);
            if (now != null && now.publication() == publicationTracker) {
                changing(key, this::publish);
            }
            publicationTracker.end();
            return Done.DONE;
        });
    }

    /** Work after which, where it fails, the actor's contents are doubtful: no reader may find it again. */
    private Done changing(ReplicaKey key, Change work) throws IOException {
        HostedActor hosted = held(key);
        boolean done = false;
        try {
            work.on(hosted);
            done = true;
        } finally {
            if (!done) {
                discard(key);
            }
            hosted.release();
        }
        return Done.DONE;
    }

    /** A change of an actor. */
    @FunctionalInterface
    private interface Change {
        void on(HostedActor hosted) throws IOException;
    }

    @Override
    public void checkpoint(ReplicaKey key, String checkpointPath, Completion<Done> completion) {
        calls.inOrder(key, "checkpoint " + key, completion, () -> {
            changing(key, this::publish);
            HostedActor hosted = held(key);
            Path target = DiskPaths.resolve(data, checkpointPath);
            Path written = newDirectory("checkpoint-" + key);
            try {
                hosted.port().run("writing a checkpoint", () -> hosted.actor().writeTo(written));
                MutableOptionsFile.add(hosted.meta(), written);
                DurableFiles.deleteTree(target);
                DurableFiles.createDirectories(target);
                CheckpointFiles.seal(written, target);
            } finally {
                hosted.release();
                DurableFiles.deleteTree(written);
            }
            return Done.DONE;
        });
    }

    @Override
    public void verify(String checkpointPath, Completion<Done> completion) {
        calls.beside("verify " + checkpointPath, completion, () -> {
            CheckpointFiles.verify(DiskPaths.resolve(data, checkpointPath));
            return Done.DONE;
        });
    }

    @Override
    public void digest(ReplicaKey key, Completion<Bytes> completion) {
        beside("digest " + key, key, completion, hosted -> {
            if (!hosted.publication().idle()) {
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
        calls.beside("usage of " + key, completion, () -> with(key, "usage", Actor::usage));
    }

    @Override
    public void destroy(ReplicaKey key, Completion<Done> completion) {
        calls.inOrder(key, "destroy " + key, completion, () -> {
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

    /** What one actor's older states may take: all actors share a part of the heap. */
    private long stateBytesMax() {
        return Limits.SNAPSHOT_HEAP_PERMILLE * (Runtime.getRuntime().maxMemory() / 1_000) / Math.max(1, actors.size());
    }

    private long newState() {
        long number = states.incrementAndGet();
        return number == 0 ? states.incrementAndGet() : number;
    }

    private <T> T with(ReplicaKey key, String what, Function<Actor, T> work) {
        HostedActor hosted = held(key);
        try {
            return hosted.port().call(what, () -> work.apply(hosted.actor()));
        } finally {
            hosted.release();
        }
    }

    private HostedActor held(ReplicaKey key) {
        return pin(key).orElseThrow(
                        () -> new UniserveException(ErrorCode.UNAVAILABLE, "no actor of " + key + " is open"));
    }

    /** How a port makes an actor. */
    @FunctionalInterface
    private interface Maker {
        Actor make(OpenPort port, ActorContext context);
    }

    /** Makes an actor in a scratch directory of its own and puts it in the place of the one that is there. */
    private void make(ReplicaKey key, TableMeta meta, long version, Maker maker) throws IOException {
        OpenPort port = port(meta.port());
        Path own = newDirectory("actor-" + key);
        boolean made = false;
        try {
            Actor actor = maker.make(port, new ActorContext(meta, key.actor(), own));
            ActorTransactionState parts = TransactionService.serves(meta.level())
                    ? new ActorTransactionState(port, actor, version, this::stateBytesMax)
                    : null;
            made = true;
            HostedActor hosted = new HostedActor(
                    actor,
                    meta,
                    port,
                    newState(),
                    new PublicationTracker(self -> publishForReaders(key, self)),
                    parts,
                    () -> dispose(key, port, actor, parts, own));
            HostedActor old = actors.put(key, hosted);
            if (old != null) {
                old.release();
            }
        } finally {
            if (!made) {
                DurableFiles.deleteTree(own);
            }
        }
    }

    /** The last holder has gone; it may be a reader, whose thread must not do this work. */
    private void dispose(ReplicaKey key, OpenPort port, Actor actor, @Nullable ActorTransactionState parts, Path own) {
        calls.detached("destroy the actor of " + key, () -> {
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
            DurableFiles.deleteTree(own);
        } catch (IOException e) {
            LOG.warn("{} cannot be deleted; it goes at the next start", own, e);
        }
    }

    private Path newDirectory(String name) throws IOException {
        return Files.createDirectories(scratch.resolve(name + "-" + names.incrementAndGet()));
    }

    /** Lets running calls end, then closes all actors and engines. */
    @Override
    public void close() {
        calls.close();
        actors.values().forEach(hosted -> closed(hosted::close));
        ports.values().forEach(port -> closed(port::close));
    }

    /** One that cannot be closed does not keep the others open. */
    private static void closed(Runnable close) {
        try {
            close.run();
        } catch (UniserveException e) {
            LOG.warn("an engine was not closed in good order", e);
        }
    }
}
