package io.uniserve.protocol.exchange;

import io.uniserve.api.plan.Distribution;
import io.uniserve.api.plan.Shuffle;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ExchangeId;
import io.uniserve.protocol.message.ScatterRunId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * State machine of one plan of scatters, maps and a gather, on the planning server. Stages are reads, which choose replicas and retry by
 * themselves. A stage starts when the stages that feed it have ended. This machine decides which run of each source counts, and passes only
 * these on. If chunks are lost, it starts a new attempt that reuses nothing. Not thread-safe; the completion is called exactly once.
 */
public final class ShuffleStateMachine {
    /** Estimated size of a manifest without end markers, and of each end marker, in bytes. */
    private static final int RECEIPT_BYTES = 128;

    private static final int MARKER_BYTES = 16;
    private static final Codec<GatherResult<ScatterManifest>> MAPPED = GatherResult.codec(ScatterManifest.CODEC);

    private final Clock clock;
    private final Timers timers;
    private final Reads reads;
    private final Consumer<ExchangeId> onAttemptEnded;
    private final long query;
    private final long deadlineNanos;
    private final Plan plan;
    private final Completion<Result> completion;
    private int attempt;
    private int snapshotRestarts;
    private @Nullable Attempt current;
    private Timers.Cancel pause = () -> {};
    private boolean completed;

    /**
     * Read of one stage.
     *
     * @param chunks true if the answer is a manifest of stored chunks
     * @param preferredAddresses preferred address per actor
     */
    public record StageRead(
            TableName table,
            List<Integer> actors,
            String operator,
            Bytes parameters,
            boolean chunks,
            Map<Integer, Address> preferredAddresses) {
        public StageRead {
            actors = List.copyOf(actors);
            preferredAddresses = preferredAddresses.isEmpty()
                    ? Map.of()
                    : Collections.unmodifiableMap(new TreeMap<>(preferredAddresses));
        }
    }

    /** Executor of the stages' reads. */
    public interface Reads {
        /**
         * Reads actors of a table. Returns a complete answer with each actor in one part, or an error; VERSION_GONE as for
         * {@link #readAtOneSnapshot}.
         */
        Timers.Cancel read(StageRead asked, Completion<QueryResult> completion);

        /** True for a table with scatters that must read one snapshot together with other such tables: {@link #readAtOneSnapshot}. */
        default boolean readsCommonSnapshot(TableName table) {
            return false;
        }

        /** True if the snapshot was taken before the plan: this machine must not start an attempt with another one. */
        default boolean hasFixedSnapshot() {
            return false;
        }

        /** Reads scatters of one snapshot; returns the answers in their order. VERSION_GONE if another snapshot is needed. */
        default Timers.Cancel readAtOneSnapshot(List<StageRead> scatters, Completion<List<QueryResult>> completion) {
            throw new IllegalStateException("these reads do not support a common snapshot");
        }
    }

    /**
     * The plan.
     *
     * @param scatters stages that produce chunks, each after the stages that feed it
     * @param actors actors of the gather, by slot
     * @param parameters parameters of the gather's operator
     */
    public record Plan(
            List<Scatter> scatters, TableName gatherTable, List<Integer> actors, String operator, Bytes parameters) {
        public Plan {
            scatters = List.copyOf(scatters);
            actors = List.copyOf(actors);
            if (scatters.isEmpty() || scatters.size() > Limits.PLAN_SCATTERS_MAX) {
                throw UniserveException.invalid(
                        "a plan has " + scatters.size() + " scatters and maps, use 1 to " + Limits.PLAN_SCATTERS_MAX);
            }
            List<List<Integer>> taken =
                    new ArrayList<>(scatters.stream().map(Scatter::inputs).toList());
            taken.add(Shuffle.unconsumedStages(taken));
            List<Scatter> all = new ArrayList<>(scatters);
            all.add(new Scatter(
                    gatherTable, actors, operator, parameters, Distribution.PARTITIONED, taken.get(scatters.size())));
            long chunks = 0;
            for (int stage = 0; stage < all.size(); stage++) {
                String what = stage < scatters.size() ? "map" : "gather";
                chunks += all.get(stage).inputs.isEmpty() ? 0 : chunks(all, all.get(stage), what);
            }
            if (chunks > Limits.PLAN_CHUNKS_MAX) {
                throw new UniserveException(
                        ErrorCode.TOO_LARGE,
                        "a plan of " + chunks + " chunks, at most " + Limits.PLAN_CHUNKS_MAX
                                + ": gather at a table of fewer actors");
            }
            all.forEach(stage -> check(stage.operator, bytes(all, stage))); // before scatters run in vain
        }

        /** Number of chunks that a stage's slots need; fails if the stage is invalid. */
        private static long chunks(List<Scatter> all, Scatter stage, String what) {
            if (stage.actors.isEmpty() || stage.actors.size() > Limits.SCATTER_SLOTS_MAX) {
                throw UniserveException.invalid(
                        "a " + what + " at " + stage.actors.size() + " actors, use 1 to " + Limits.SCATTER_SLOTS_MAX);
            }
            Set<Integer> slots = new TreeSet<>(stage.actors);
            if (slots.size() < stage.actors.size()) {
                throw UniserveException.invalid("a " + what + " names an actor twice: " + stage.actors);
            }
            long chunks = 0;
            for (int place : stage.inputs) {
                Scatter input = all.get(place);
                boolean kept = input.distribution == Distribution.COLOCATED;
                if (kept && !(input.table.equals(stage.table) && slots.containsAll(input.actors))) {
                    throw UniserveException.invalid("output of " + input.operator + " at actors " + input.actors
                            + " of table " + input.table + " is only for these actors, but a " + what + " at actors "
                            + stage.actors + " of table " + stage.table + " needs it");
                }
                // A broadcast counts once per slot, too: each slot needs it.
                chunks += kept ? input.actors.size() : (long) input.actors.size() * slots.size();
            }
            return chunks;
        }

        private static long bytes(List<Scatter> all, Scatter stage) {
            long bytes = stage.parameters.size();
            for (int place : stage.inputs) {
                Scatter input = all.get(place);
                long markers = input.distribution == Distribution.PARTITIONED ? stage.actors.size() : 1L;
                bytes += input.actors.size() * (RECEIPT_BYTES + MARKER_BYTES * markers);
            }
            return bytes;
        }

        private static void check(String operator, long bytes) {
            if (bytes > Limits.PARAMETER_BYTES_MAX) {
                throw new UniserveException(
                        ErrorCode.TOO_LARGE,
                        "the parameters of " + operator + " would have " + bytes + " bytes, at most "
                                + Limits.PARAMETER_BYTES_MAX + ": gather at a table of fewer actors, or ask with less");
            }
        }

        /** The stages that feed the gather. */
        List<Integer> gatherInputs() {
            return Shuffle.unconsumedStages(
                    scatters.stream().map(Scatter::inputs).toList());
        }

        /** Number of chunks into which each source of a stage is split. */
        int slots(int stage) {
            if (scatters.get(stage).distribution != Distribution.PARTITIONED) {
                return 1;
            }
            return scatters.stream()
                    .filter(later -> later.inputs.contains(stage))
                    .findFirst()
                    .map(Scatter::actors)
                    .orElse(actors)
                    .size();
        }
    }

    /**
     * A stage that produces chunks: a scatter, or a map if it has inputs.
     *
     * @param actors actors to read; for a map, by slot
     * @param inputs positions of the stages that feed it; empty for a scatter
     */
    public record Scatter(
            TableName table,
            List<Integer> actors,
            String operator,
            Bytes parameters,
            Distribution distribution,
            List<Integer> inputs) {
        public Scatter {
            actors = List.copyOf(actors);
            inputs = List.copyOf(inputs);
        }

        /** A stage without inputs. */
        public Scatter(TableName table, List<Integer> actors, String operator, Bytes parameters, Distribution spread) {
            this(table, actors, operator, parameters, spread, List.of());
        }
    }

    /**
     * Result of the plan.
     *
     * @param inputs per stage that produced chunks, the runs that count and statistics
     * @param gathered the gather's values
     * @param attempts 1, or more if chunks were lost
     */
    public record Result(List<StageResult> inputs, QueryResult gathered, long gatherNanos, int attempts) {
        public Result {
            inputs = List.copyOf(inputs);
        }
    }

    /**
     * Result of a stage that produced chunks.
     *
     * @param sentBytes the part of its input chunks that came from other servers; a broadcast chunk counts once per server
     * @param inputSpilledBytes the part of those that was written to files
     */
    public record StageResult(
            List<ScatterManifest> manifests,
            QueryResult.Stats stats,
            long nanos,
            long sentBytes,
            long inputSpilledBytes) {
        public StageResult {
            manifests = List.copyOf(manifests);
        }

        /** Number of rows in all chunks. */
        public long rows() {
            return manifests.stream().mapToLong(ScatterManifest::rows).sum();
        }

        /** Size of all chunks as stored, in bytes. */
        public long bytes() {
            return manifests.stream().mapToLong(ScatterManifest::bytes).sum();
        }

        /** Size of the chunks in files. */
        public long spilledBytes() {
            return manifests.stream().mapToLong(ScatterManifest::spilledBytes).sum();
        }

        /** Servers of the runs that count. */
        public List<String> servers() {
            return manifests.stream()
                    .map(scatterManifest -> scatterManifest.server().toString())
                    .distinct()
                    .sorted()
                    .toList();
        }
    }

    /**
     * @param ended notifies all servers that an attempt has ended
     * @param query random number
     * @param deadlineNanos deadline by the clock, also of the stages' reads
     */
    public ShuffleStateMachine(
            Clock clock,
            Timers timers,
            Reads reads,
            Consumer<ExchangeId> ended,
            long query,
            long deadlineNanos,
            Plan plan,
            Completion<Result> completion) {
        this.clock = clock;
        this.timers = timers;
        this.reads = reads;
        this.onAttemptEnded = ended;
        this.query = query;
        this.deadlineNanos = deadlineNanos;
        this.plan = plan;
        this.completion = completion;
    }

    /** Starts the first attempt. Call it once. */
    public void start() {
        attempt++;
        Attempt next = new Attempt(new ExchangeId(query, attempt));
        current = next;
        next.start();
    }

    /** Cancels the plan; the completion gets CANCELLED. */
    public void cancel() {
        Attempt running = current;
        if (!completed && running != null) {
            completed = true;
            pause.cancel();
            running.stop();
            completion.done(Outcome.err(new UniserveException(ErrorCode.CANCELLED, "the caller has gone")));
        }
    }

    private void onAttemptFailed(Attempt which, UniserveException error) {
        if (completed || which != current) {
            return;
        }
        which.stop();
        boolean gone = error.code() == ErrorCode.VERSION_GONE;
        if (gone && reads.hasFixedSnapshot()) {
            completed = true;
            completion.done(Outcome.err(error));
            return;
        }
        snapshotRestarts += gone ? 1 : 0;
        boolean again = gone
                ? snapshotRestarts < Limits.EXCHANGE_MOMENTS
                : error.code() == ErrorCode.EXCHANGE_LOST && attempt - snapshotRestarts < Limits.EXCHANGE_ATTEMPTS;
        // A server that lost chunks may return soon, or a newer map may exclude it.
        long wait = pauseMillis() * 1_000_000;
        if (again && deadlineNanos - clock.nanos() > wait) {
            pause = timers.after(wait, this::start);
            return;
        }
        completed = true;
        UniserveException told = error;
        if (again) {
            told = lostError(error, "until the deadline no time is left for another attempt");
        } else if (gone) {
            told = lostError(error, Limits.EXCHANGE_MOMENTS + " snapshots were tried");
        }
        completion.done(Outcome.err(told));
    }

    private long pauseMillis() {
        long pause = Limits.EXCHANGE_PAUSE_MS;
        for (int before = 1; before < attempt && pause < Limits.EXCHANGE_PAUSE_MAX_MS; before++) {
            pause *= 2;
        }
        return Math.min(pause, Limits.EXCHANGE_PAUSE_MAX_MS);
    }

    private static UniserveException lostError(UniserveException error, String why) {
        return new UniserveException(ErrorCode.EXCHANGE_LOST, error.reason() + "; " + why, error);
    }

    /** One attempt of all stages. */
    private final class Attempt {
        private final ExchangeId id;
        private final List<Timers.Cancel> running = new ArrayList<>();
        private final List<@Nullable StageResult> inputs = new ArrayList<>();
        private final Set<Integer> startedStages = new TreeSet<>();
        private boolean gathering;
        private boolean stopped;

        private Attempt(ExchangeId id) {
            this.id = id;
            plan.scatters.forEach(scatter -> inputs.add(null));
        }

        /** Starts all scatters at once; those of atomic tables read one snapshot. */
        private void start() {
            long start = clock.nanos();
            List<Integer> together = new ArrayList<>();
            List<Integer> apart = new ArrayList<>();
            for (int stage = 0; stage < plan.scatters.size(); stage++) {
                if (plan.scatters.get(stage).inputs.isEmpty()) {
                    startedStages.add(stage);
                    boolean moment = reads.readsCommonSnapshot(plan.scatters.get(stage).table);
                    (moment ? together : apart).add(stage);
                }
            }
            if (together.size() > 1 || reads.hasFixedSnapshot() && !together.isEmpty()) {
                scatterAtOneSnapshot(together, start);
            } else {
                apart.addAll(together);
            }
            apart.sort(null);
            apart.forEach(stage -> run(stage, scatterRead(stage), start));
        }

        private void run(int stage, StageRead asked, long start) {
            if (!stopped) {
                running.add(reads.read(asked, outcome -> onScattered(stage, start, outcome)));
            }
        }

        private StageRead scatterRead(int stage) {
            Scatter scatter = plan.scatters.get(stage);
            Bytes parameters =
                    ScatterEnvelope.CODEC.encode(new ScatterEnvelope(id, stage, plan.slots(stage), scatter.parameters));
            return new StageRead(scatter.table, scatter.actors, scatter.operator, parameters, true, Map.of());
        }

        private void scatterAtOneSnapshot(List<Integer> stages, long start) {
            running.add(reads.readAtOneSnapshot(
                    stages.stream().map(this::scatterRead).toList(), outcome -> {
                        for (int i = 0; i < stages.size() && !stopped; i++) {
                            int place = i;
                            onScattered(stages.get(i), start, outcome.map(all -> all.get(place)));
                        }
                    }));
        }

        private void onScattered(int stage, long start, Outcome<QueryResult> outcome) {
            if (stopped) {
                return;
            }
            if (outcome instanceof Outcome.Err<QueryResult> err) {
                onAttemptFailed(this, err.error());
                return;
            }
            QueryResult result = outcome.value();
            try {
                inputs.set(stage, selectRuns(stage, result, clock.nanos() - start));
            } catch (UniserveException e) {
                onAttemptFailed(this, e);
                return;
            }
            startReadyStages();
        }

        /** Checks that there is exactly one run of every source. */
        private StageResult selectRuns(int stage, QueryResult result, long nanos) {
            Scatter scatter = plan.scatters.get(stage);
            Set<Integer> missing = new TreeSet<>(scatter.actors);
            List<ScatterManifest> receipts = new ArrayList<>();
            long sent = 0;
            long spilled = 0;
            for (int i = 0; i < result.parts().size(); i++) {
                ScatterManifest scatterManifest;
                if (scatter.inputs.isEmpty()) {
                    scatterManifest = ScatterManifest.of(result.parts().get(i));
                } else {
                    GatherResult<ScatterManifest> mapped =
                            MAPPED.decode(result.parts().get(i));
                    scatterManifest = mapped.value();
                    sent += mapped.sentBytes();
                    spilled += mapped.spilledBytes();
                }
                ScatterRunId scatterOutput = scatterManifest.output();
                boolean known = result.actors().get(i).equals(List.of(scatterOutput.actor()))
                        && scatterOutput.exchange().equals(id)
                        && scatterOutput.stage() == stage
                        && scatterManifest.chunks().size() == plan.slots(stage);
                if (!known || !missing.remove(scatterOutput.actor())) {
                    throw new UniserveException(
                            ErrorCode.INTERNAL,
                            "actors " + result.actors().get(i) + " of stage " + stage + " answered with "
                                    + scatterOutput);
                }
                receipts.add(scatterManifest);
            }
            if (!missing.isEmpty()) {
                throw new UniserveException(
                        ErrorCode.STALE_EPOCH,
                        "actors " + missing + " of stage " + stage
                                + " did not answer: their chunk is probably expired, so read the map again");
            }
            return new StageResult(receipts, result.stats(), nanos, sent, spilled);
        }

        /** Starts the stages with complete inputs. */
        private void startReadyStages() {
            for (int stage = 0; stage < plan.scatters.size() && !stopped; stage++) {
                Scatter map = plan.scatters.get(stage);
                if (!startedStages.contains(stage)
                        && map.inputs.stream().allMatch(input -> inputs.get(input) != null)) {
                    startedStages.add(stage);
                    Optional<GatherEnvelope.Output> output =
                            Optional.of(new GatherEnvelope.Output(stage, plan.slots(stage)));
                    Bytes parameters = encodeEnvelope(map.inputs, map.actors, output, map.parameters);
                    Map<Integer, Address> near = preferredAddresses(map.inputs);
                    run(
                            stage,
                            new StageRead(map.table, map.actors, map.operator, parameters, true, near),
                            clock.nanos());
                }
            }
            if (!stopped && !gathering && inputs.stream().allMatch(Objects::nonNull)) {
                gathering = true;
                gather();
            }
        }

        private StageResult resultOf(int stage) {
            StageResult input = inputs.get(stage);
            if (input == null) {
                throw new IllegalStateException("a stage was started before its inputs ended");
            }
            return input;
        }

        private Bytes encodeEnvelope(
                List<Integer> stages, List<Integer> actors, Optional<GatherEnvelope.Output> output, Bytes parameters) {
            List<GatherEnvelope.Input> frames = stages.stream()
                    .map(stage -> new GatherEnvelope.Input(
                            stage, plan.scatters.get(stage).distribution, resultOf(stage).manifests))
                    .toList();
            return GatherEnvelope.CODEC.encode(new GatherEnvelope(id, actors, frames, output, parameters));
        }

        /** Addresses of the servers that have kept chunks for an actor, so that these chunks need not be sent. */
        private Map<Integer, Address> preferredAddresses(List<Integer> stages) {
            Map<Integer, Address> near = new TreeMap<>();
            for (int stage : stages) {
                if (plan.scatters.get(stage).distribution == Distribution.COLOCATED) {
                    resultOf(stage)
                            .manifests
                            .forEach(one -> near.put(one.output().actor(), one.server()));
                }
            }
            return near;
        }

        private void gather() {
            long start = clock.nanos();
            List<Integer> last = plan.gatherInputs();
            Bytes parameters = encodeEnvelope(last, plan.actors, Optional.empty(), plan.parameters);
            StageRead asked = new StageRead(
                    plan.gatherTable, plan.actors, plan.operator, parameters, false, preferredAddresses(last));
            running.clear();
            running.add(reads.read(asked, outcome -> {
                if (stopped) {
                    return;
                }
                if (outcome instanceof Outcome.Err<QueryResult> err) {
                    onAttemptFailed(this, err.error());
                } else {
                    completed = true;
                    running.clear();
                    stop();
                    List<StageResult> all = IntStream.range(0, inputs.size())
                            .mapToObj(this::resultOf)
                            .toList();
                    completion.done(outcome.map(result -> new Result(all, result, clock.nanos() - start, attempt)));
                }
            }));
        }

        private void stop() {
            if (!stopped) {
                stopped = true;
                running.forEach(Timers.Cancel::cancel);
                running.clear();
                onAttemptEnded.accept(id);
            }
        }
    }
}
