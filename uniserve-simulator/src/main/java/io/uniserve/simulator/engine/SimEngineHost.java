package io.uniserve.simulator.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorUsage;
import io.uniserve.api.ActorView;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.Row;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.EngineHost;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.RowStateDependency;
import io.uniserve.protocol.transaction.server.TransactionService;
import io.uniserve.protocol.transaction.server.VersionedSnapshotCache;
import io.uniserve.simulator.disk.SimDiskMedium;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.FaultIntensity;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Twin of the engine host for one start of a server. Calls for one replica run one after the other; a hung call delays those behind it. */
public final class SimEngineHost implements EngineHost {
    /** One of this many runs of updates is published at once, as under a steady load of reads. */
    private static final int EAGER_ONE_IN = 3;

    private static final long LATENCY_MIN_NANOS = 30_000;
    private static final long LATENCY_SPREAD_NANOS = 300_000;
    private static final long SLOW_NANOS = 1_500_000_000L;
    private static final long BUSY_NANOS = 1_000_000_000L;
    private static final long HANG_MIN_NANOS = 3_000_000_000L;
    private static final long HANG_SPREAD_NANOS = 20_000_000_000L;

    private final EventQueue queue;
    private final Prng random;
    private final FaultIntensity faultIntensity;
    private final SimProcess process;
    private final EngineInstance engine;
    private final SimCheckpointStore files;
    private final EngineObserver tap;
    private final LongSupplier stateNumbers;
    private final int statesMax;
    private final UpdatePolicy policy;
    private final Map<ReplicaKey, ReplicaEngineState> slots = new TreeMap<>();

    /** @param statesMax number of old states kept per actor of an atomic table */
    public SimEngineHost(
            EventQueue queue,
            Prng random,
            FaultIntensity faultIntensity,
            SimProcess process,
            EngineInstance engine,
            SimDiskMedium simulatedDisk,
            Path scratch,
            EngineObserver tap,
            LongSupplier stateNumbers,
            int statesMax,
            UpdatePolicy policy) {
        this.policy = policy;
        this.stateNumbers = stateNumbers;
        this.statesMax = statesMax;
        this.queue = queue;
        this.random = random;
        this.faultIntensity = faultIntensity;
        this.process = process;
        this.engine = engine;
        this.files = new SimCheckpointStore(simulatedDisk, scratch);
        this.tap = tap;
    }

    /** The replica's actor for readers; null if it is not usable. */
    public @Nullable Actor actor(ReplicaKey key) {
        ReplicaEngineState slot = slots.get(key);
        return slot == null ? null : slot.usable();
    }

    /** The number of the replica's current state; 0 if it is not usable. */
    long state(ReplicaKey key) {
        ReplicaEngineState slot = slots.get(key);
        return slot == null || slot.usable() == null ? 0 : slot.state;
    }

    /** True while calls for the replica take longer than a second. */
    public boolean busy(ReplicaKey key) {
        ReplicaEngineState slot = slots.get(key);
        return slot != null && slot.freeNanos - queue.now() > BUSY_NANOS;
    }

    /** The last applied index, or for an atomic table the last committed version; null if there is no usable actor. */
    public @Nullable String applied(ReplicaKey key) {
        ReplicaEngineState slot = slots.get(key);
        if (slot == null || slot.usable() == null) {
            return null;
        }
        return slot.atomic == null ? "index " + slot.appliedIndex : "version " + slot.atomic.newest();
    }

    /** Digest of the replica's contents; null if there is no usable actor. */
    public byte @Nullable [] digestNow(ReplicaKey key) {
        Actor actor = actor(key);
        return actor == null ? null : actor.digest();
    }

    @Override
    public void create(ReplicaKey key, TableMeta meta, Completion<Done> completion) {
        runInOrder(key, true, completion, slot -> {
            install(slot, engine.actors().create(context(key, meta)), 0);
            atomic(slot, meta, 0);
            return Done.DONE;
        });
    }

    private void atomic(ReplicaEngineState slot, TableMeta meta, long version) {
        Actor made = slot.actor;
        slot.atomic = made == null || !TransactionService.isAtomic(meta.level())
                ? null
                : new AtomicEngineState(made, version, statesMax);
    }

    @Override
    public void restore(ReplicaKey key, TableMeta meta, String checkpointPath, Completion<Done> completion) {
        restore(key, meta, checkpointPath, 0, completion);
    }

    @Override
    public void restore(
            ReplicaKey key, TableMeta meta, String checkpointPath, long version, Completion<Done> completion) {
        runInOrder(key, true, completion, slot -> {
            long index = files.index(checkpointPath);
            Path directory = files.load(checkpointPath);
            try {
                install(slot, engine.actors().restore(context(key, meta), directory), index);
                atomic(slot, meta, version);
            } finally {
                files.discard(directory);
            }
            return Done.DONE;
        });
    }

    @Override
    public void validate(ReplicaKey key, String function, Bytes rows, Completion<RowStateDependency> completion) {
        runConcurrently(completion, () -> validate(function(function), rows, live(key)));
    }

    @Override
    public void apply(ReplicaKey key, List<Update> updates, boolean publish, Completion<Done> completion) {
        runInOrder(key, true, completion, slot -> {
            Actor actor = live(key);
            for (Update update : updates) {
                if (update.index() <= slot.appliedIndex) {
                    throw new IllegalStateException(
                            "index " + update.index() + " applied after " + slot.appliedIndex + " to " + key);
                }
                if (faultIntensity.drawByHash(
                        Fault.UPDATE_POISONED, update.rows().hashCode())) {
                    slot.broken = true;
                    throw new UniserveException(ErrorCode.PORT_FAILED, "the update function fails for these rows");
                }
                if (policy.reallyApplies(process)) {
                    apply(function(update.function()), update, actor);
                }
                tap.onApplied(process.name(), key, slot.appliedIndex, update.index(), update.rows());
                slot.appliedIndex = update.index();
            }
            slot.changed(stateNumbers.getAsLong());
            if (publish || random.below(EAGER_ONE_IN) == 0) {
                slot.publish(stateNumbers.getAsLong());
            }
            return Done.DONE;
        });
    }

    @Override
    public void prepare(ReplicaKey key, long version, List<Update> batches, Completion<Done> completion) {
        runInOrder(key, true, completion, slot -> {
            AtomicEngineState atomic = atomic(key, slot);
            atomic.abort(version);
            for (Update batch : batches) {
                if (faultIntensity.drawByHash(
                        Fault.UPDATE_POISONED, batch.rows().hashCode())) {
                    slot.broken = true;
                    throw new UniserveException(ErrorCode.PORT_FAILED, "the update function fails for these rows");
                }
                atomic.prepare(version, function(batch.function()), batch.index(), batch.rows());
            }
            return Done.DONE;
        });
    }

    @Override
    public void publish(ReplicaKey key, Completion<Done> completion) {
        runInOrder(key, true, completion, slot -> {
            live(key);
            slot.publish(stateNumbers.getAsLong());
            return Done.DONE;
        });
    }

    @Override
    public void decide(ReplicaKey key, long version, boolean commit, Completion<Done> completion) {
        runInOrder(key, true, completion, slot -> {
            AtomicEngineState atomic = atomic(key, slot);
            if (commit) {
                atomic.commit(version);
                slot.publish(stateNumbers.getAsLong());
                tap.onApplied(process.name(), key, slot.appliedIndex, version, Bytes.EMPTY);
            } else {
                atomic.abort(version);
            }
            return Done.DONE;
        });
    }

    private AtomicEngineState atomic(ReplicaKey key, ReplicaEngineState slot) {
        live(key);
        if (slot.atomic == null) {
            throw new IllegalStateException(key + " is of an eventual table");
        }
        return slot.atomic;
    }

    /** The state for readers of this version, 0 for the newest; empty if the state is gone or the actor is not usable. */
    public Optional<VersionedSnapshotCache.Ref<AutoCloseable>> state(ReplicaKey key, long version) {
        ReplicaEngineState slot = slots.get(key);
        return slot == null || slot.usable() == null || slot.atomic == null
                ? Optional.empty()
                : slot.atomic.snapshotAt(version);
    }

    /** The state that readers of the replica see. Applied updates are published first. Null if the actor is not usable. */
    public @Nullable ActorView published(ReplicaKey key) {
        ReplicaEngineState slot = slots.get(key);
        if (slot != null && slot.usable() != null && !slot.published()) {
            slot.broken = faultIntensity.draw(Fault.ENGINE_FAILED);
            slot.publish(stateNumbers.getAsLong());
        }
        return seen(key);
    }

    /** The last published state, even if more updates are applied; null if the actor is not usable. */
    public @Nullable ActorView seen(ReplicaKey key) {
        ReplicaEngineState slot = slots.get(key);
        return slot == null || slot.usable() == null ? null : slot.seen();
    }

    @Override
    public void checkpoint(ReplicaKey key, String checkpointPath, Completion<Done> completion) {
        runInOrder(key, false, completion, slot -> {
            Actor actor = live(key);
            if (!slot.published()) {
                slot.publish(stateNumbers.getAsLong());
            }
            files.save(actor, checkpointPath, slot.appliedIndex);
            return Done.DONE;
        });
    }

    @Override
    public void verify(String checkpointPath, Completion<Done> completion) {
        runConcurrently(completion, () -> {
            files.discard(files.load(checkpointPath));
            return Done.DONE;
        });
    }

    @Override
    public void digest(ReplicaKey key, Completion<Bytes> completion) {
        runInOrder(key, false, completion, slot -> Bytes.wrap(live(key).digest()));
    }

    @Override
    public void usage(ReplicaKey key, Completion<ActorUsage> completion) {
        runConcurrently(completion, () -> live(key).usage());
    }

    @Override
    public void destroy(ReplicaKey key, Completion<Done> completion) {
        runInOrder(key, true, completion, slot -> {
            if (slot.actor != null) {
                slot.actor.destroy();
            }
            slot.actor = null;
            slot.publish(stateNumbers.getAsLong());
            slot.atomic = null;
            return Done.DONE;
        });
    }

    private void install(ReplicaEngineState slot, Actor actor, long index) {
        slot.actor = actor;
        slot.appliedIndex = index;
        slot.broken = false;
        slot.publish(stateNumbers.getAsLong());
    }

    private Actor live(ReplicaKey key) {
        Actor actor = actor(key);
        if (actor == null) {
            throw new UniserveException(ErrorCode.PORT_FAILED, "replica " + key + " has no usable actor");
        }
        return actor;
    }

    private ActorContext context(ReplicaKey key, TableMeta meta) {
        return new ActorContext(meta, key.actor(), files.scratch());
    }

    private UpdateFunction<?, ?> function(String id) {
        for (UpdateFunction<?, ?> function : engine.updates()) {
            if (function.id().equals(id)) {
                return function;
            }
        }
        throw new UniserveException(ErrorCode.UNKNOWN_UPDATE, "port has no update function " + id);
    }

    private static <A extends Actor, R extends Row> RowStateDependency validate(
            UpdateFunction<A, R> function, Bytes bytes, Actor actor) {
        EventualUpdate<A, R> update = (EventualUpdate<A, R>) function; // the updates of this port have both types
        List<R> rows = Codecs.list(function.rows()).decode(bytes);
        update.validate(function.actorType().cast(actor), rows);
        return rows.stream().anyMatch(update::isConditional) ? RowStateDependency.ON_STATE : RowStateDependency.NONE;
    }

    private static <A extends Actor, R extends Row> void apply(
            UpdateFunction<A, R> function, Update update, Actor actor) {
        EventualUpdate<A, R> eventual = (EventualUpdate<A, R>) function;
        eventual.update(
                function.actorType().cast(actor),
                new UpdateContext(update.index()),
                Codecs.list(function.rows()).decode(update.rows()));
    }

    private <T> void runConcurrently(Completion<T> completion, Supplier<T> action) {
        SimProcess.Pending<T> pending = process.begin(completion);
        process.post(latency(), () -> pending.complete(0, outcome(action)));
    }

    /** @param harms true if a failure leaves the actor unusable */
    private <T> void runInOrder(ReplicaKey key, boolean harms, Completion<T> completion, Step<T> step) {
        SimProcess.Pending<T> pending = process.begin(completion);
        ReplicaEngineState slot = slots.computeIfAbsent(key, k -> new ReplicaEngineState());
        boolean fails = faultIntensity.draw(Fault.ENGINE_FAILED);
        slot.freeNanos = Math.max(slot.freeNanos, queue.now()) + latency();
        process.post(slot.freeNanos - queue.now(), () -> {
            if (fails) {
                slot.broken |= harms;
                pending.complete(0, Outcome.err(new UniserveException(ErrorCode.PORT_FAILED, "the engine failed")));
            } else {
                pending.complete(0, outcome(() -> step.run(slot)));
            }
        });
    }

    private static <T> Outcome<T> outcome(Supplier<T> action) {
        try {
            return Outcome.ok(action.get());
        } catch (UniserveException e) {
            return Outcome.err(e);
        }
    }

    private long latency() {
        long base = LATENCY_MIN_NANOS + random.below(LATENCY_SPREAD_NANOS);
        if (faultIntensity.draw(Fault.ENGINE_HUNG)) {
            return base + HANG_MIN_NANOS + random.below(HANG_SPREAD_NANOS);
        }
        return faultIntensity.draw(Fault.ENGINE_SLOW) ? base + random.below(SLOW_NANOS) : base;
    }

    /** Decision whether updates are applied. A planted bug skips some and reports them as applied. */
    @FunctionalInterface
    public interface UpdatePolicy {
        boolean reallyApplies(SimProcess process);
    }

    @FunctionalInterface
    private interface Step<T> {
        T run(ReplicaEngineState slot);
    }
}
