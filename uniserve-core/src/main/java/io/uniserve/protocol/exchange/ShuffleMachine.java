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
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ExchangeId;
import io.uniserve.protocol.message.ScatterOutput;
import io.uniserve.protocol.reader.QueryResult;
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
 * One plan of scatters, maps and a gather, where it is owned. Stages are reads: which replica answers for an actor, and what is
 * done when one does not, is theirs. A stage begins when those whose chunks it gets have ended. This machine settles which run of each
 * source counts, hands just these on, and begins anew, with nothing of before, where something of them is lost. Single-threaded;
 * ends exactly once.
 */
public final class ShuffleMachine {
    /** What a receipt takes beside its end markers, and each of these. */
    private static final int RECEIPT_BYTES = 128;

    private static final int MARKER_BYTES = 16;
    private static final Codec<GatherResult<ScatterManifest>> MAPPED = GatherResult.codec(ScatterManifest.CODEC);

    private final Clock clock;
    private final Timers timers;
    private final Reads reads;
    private final Consumer<ExchangeId> ended;
    private final long query;
    private final long deadlineNanos;
    private final Plan plan;
    private final Completion<Result> completion;
    private int attempt;
    private int moments;
    private @Nullable Attempt current;
    private Timers.Cancel pause = () -> {};
    private boolean over;

    /**
     * What a stage asks for.
     *
     * @param chunks true where an answer is a receipt for chunks that are kept
     * @param near where an actor is best asked, if it can be
     */
    public record Asked(
            TableName table,
            List<Integer> actors,
            String operator,
            Bytes parameters,
            boolean chunks,
            Map<Integer, Address> near) {
        public Asked {
            actors = List.copyOf(actors);
            near = near.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(near));
        }
    }

    /** How stages are asked for. */
    public interface Reads {
        /** Reads actors of a table: a complete answer, each actor in one part, or an error; VERSION_GONE as for several. */
        Timers.Cancel read(Asked asked, Completion<QueryResult> completion);

        /** True for a table whose scatters are to see one moment with those of other such tables: {@link #readTogether}. */
        default boolean together(TableName table) {
            return false;
        }

        /** True where the moment was settled before the plan: an attempt of another one is not for the machine to begin. */
        default boolean settled() {
            return false;
        }

        /** Reads one or several scatters as of one moment; the answers in their order. VERSION_GONE where it has to be another one. */
        default Timers.Cancel readTogether(List<Asked> scatters, Completion<List<QueryResult>> completion) {
            throw new IllegalStateException("scatters of one moment, which nobody asked for");
        }
    }

    /**
     * What to do.
     *
     * @param scatters stages that leave chunks, each behind those whose chunks it gets
     * @param actors of the gather, by slot
     * @param parameters of the gather's operator
     */
    public record Plan(List<Scatter> scatters, TableName at, List<Integer> actors, String operator, Bytes parameters) {
        public Plan {
            scatters = List.copyOf(scatters);
            actors = List.copyOf(actors);
            if (scatters.isEmpty() || scatters.size() > Limits.PLAN_SCATTERS_MAX) {
                throw UniserveException.invalid(
                        "a plan has " + scatters.size() + " scatters and maps, use 1 to " + Limits.PLAN_SCATTERS_MAX);
            }
            List<List<Integer>> taken =
                    new ArrayList<>(scatters.stream().map(Scatter::inputs).toList());
            taken.add(Shuffle.open(taken));
            List<Scatter> all = new ArrayList<>(scatters);
            all.add(new Scatter(at, actors, operator, parameters, Distribution.CUT, taken.get(scatters.size())));
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

        /** How many chunks a stage's slots want; refuses one that cannot be. */
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
                boolean kept = input.spread == Distribution.KEPT;
                if (kept && !(input.table.equals(stage.table) && slots.containsAll(input.actors))) {
                    throw UniserveException.invalid("what " + input.operator + " keeps at actors " + input.actors
                            + " of table " + input.table + " is for these actors, and a " + what + " at actors "
                            + stage.actors + " of table " + stage.table + " gets it");
                }
                // Of a broadcast too: each slot wants it.
                chunks += kept ? input.actors.size() : (long) input.actors.size() * slots.size();
            }
            return chunks;
        }

        private static long bytes(List<Scatter> all, Scatter stage) {
            long bytes = stage.parameters.size();
            for (int place : stage.inputs) {
                Scatter input = all.get(place);
                long markers = input.spread == Distribution.CUT ? stage.actors.size() : 1L;
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

        /** The stages whose chunks the gather gets. */
        List<Integer> last() {
            return Shuffle.open(scatters.stream().map(Scatter::inputs).toList());
        }

        /** Into how many chunks each source of a stage cuts. */
        int slots(int stage) {
            if (scatters.get(stage).spread != Distribution.CUT) {
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
     * A stage that leaves chunks.
     *
     * @param actors of a map: by slot
     * @param inputs the stages whose chunks it gets, by their places in the plan; of a scatter none
     */
    public record Scatter(
            TableName table,
            List<Integer> actors,
            String operator,
            Bytes parameters,
            Distribution spread,
            List<Integer> inputs) {
        public Scatter {
            actors = List.copyOf(actors);
            inputs = List.copyOf(inputs);
        }

        /** One without inputs. */
        public Scatter(TableName table, List<Integer> actors, String operator, Bytes parameters, Distribution spread) {
            this(table, actors, operator, parameters, spread, List.of());
        }
    }

    /**
     * How it ended.
     *
     * @param inputs the runs that count of each stage that left chunks, and what the stage took
     * @param gathered the gather's values
     * @param attempts 1, or more where something was lost
     */
    public record Result(List<Scattered> inputs, QueryResult gathered, long gatherNanos, int attempts) {
        public Result {
            inputs = List.copyOf(inputs);
        }
    }

    /**
     * The end of a stage that left chunks.
     *
     * @param sentBytes of the chunks that it was given, those that came from other servers, a broadcast one once a server
     * @param givenSpilledBytes of these, those that were written to files
     */
    public record Scattered(
            List<ScatterManifest> receipts,
            QueryResult.Stats stats,
            long nanos,
            long sentBytes,
            long givenSpilledBytes) {
        public Scattered {
            receipts = List.copyOf(receipts);
        }

        /** Rows in all chunks. */
        public long rows() {
            return receipts.stream().mapToLong(ScatterManifest::rows).sum();
        }

        /** Bytes of all chunks as they are kept. */
        public long bytes() {
            return receipts.stream().mapToLong(ScatterManifest::bytes).sum();
        }

        /** Those in files. */
        public long spilledBytes() {
            return receipts.stream().mapToLong(ScatterManifest::spilledBytes).sum();
        }

        /** Where the runs that count were. */
        public List<String> servers() {
            return receipts.stream()
                    .map(scatterManifest -> scatterManifest.server().toString())
                    .distinct()
                    .sorted()
                    .toList();
        }
    }

    /**
     * @param ended tells all servers to let go of an attempt
     * @param query drawn at random
     * @param deadlineNanos when to give up, on the clock; that of the stages' reads
     */
    public ShuffleMachine(
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
        this.ended = ended;
        this.query = query;
        this.deadlineNanos = deadlineNanos;
        this.plan = plan;
        this.completion = completion;
    }

    /** Call once. */
    public void start() {
        attempt++;
        Attempt begun = new Attempt(new ExchangeId(query, attempt));
        current = begun;
        begun.start();
    }

    /** Nobody wants the answer. */
    public void cancel() {
        Attempt running = current;
        if (!over && running != null) {
            over = true;
            pause.cancel();
            running.stop();
            completion.done(Outcome.err(new UniserveException(ErrorCode.CANCELLED, "the caller has gone")));
        }
    }

    private void failed(Attempt which, UniserveException error) {
        if (over || which != current) {
            return;
        }
        which.stop();
        boolean gone = error.code() == ErrorCode.VERSION_GONE;
        if (gone && reads.settled()) {
            over = true;
            completion.done(Outcome.err(error));
            return;
        }
        moments += gone ? 1 : 0;
        boolean again = gone
                ? moments < Limits.EXCHANGE_MOMENTS
                : error.code() == ErrorCode.EXCHANGE_LOST && attempt - moments < Limits.EXCHANGE_ATTEMPTS;
        // Who has lost something may be about to come back, or the map to tell that it will not.
        long wait = pauseMillis() * 1_000_000;
        if (again && deadlineNanos - clock.nanos() > wait) {
            pause = timers.after(wait, this::start);
            return;
        }
        over = true;
        UniserveException told = error;
        if (again) {
            told = lost(error, "until the deadline no time is left for another attempt");
        } else if (gone) {
            told = lost(error, Limits.EXCHANGE_MOMENTS + " moments were tried");
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

    private static UniserveException lost(UniserveException error, String why) {
        return new UniserveException(ErrorCode.EXCHANGE_LOST, error.reason() + "; " + why, error);
    }

    /** All stages, once. */
    private final class Attempt {
        private final ExchangeId id;
        private final List<Timers.Cancel> running = new ArrayList<>();
        private final List<@Nullable Scattered> inputs = new ArrayList<>();
        private final Set<Integer> begun = new TreeSet<>();
        private boolean gathering;
        private boolean stopped;

        private Attempt(ExchangeId id) {
            this.id = id;
            plan.scatters.forEach(scatter -> inputs.add(null));
        }

        /** The scatters, all at once: those of tables with versions see one moment. */
        private void start() {
            long start = clock.nanos();
            List<Integer> together = new ArrayList<>();
            List<Integer> apart = new ArrayList<>();
            for (int stage = 0; stage < plan.scatters.size(); stage++) {
                if (plan.scatters.get(stage).inputs.isEmpty()) {
                    begun.add(stage);
                    boolean moment = reads.together(plan.scatters.get(stage).table);
                    (moment ? together : apart).add(stage);
                }
            }
            if (together.size() > 1 || reads.settled() && !together.isEmpty()) {
                scatterTogether(together, start);
            } else {
                apart.addAll(together);
            }
            apart.sort(null);
            apart.forEach(stage -> run(stage, scatterOf(stage), start));
        }

        private void run(int stage, Asked asked, long start) {
            if (!stopped) {
                running.add(reads.read(asked, outcome -> scattered(stage, start, outcome)));
            }
        }

        private Asked scatterOf(int stage) {
            Scatter scatter = plan.scatters.get(stage);
            Bytes parameters =
                    ScatterEnvelope.CODEC.encode(new ScatterEnvelope(id, stage, plan.slots(stage), scatter.parameters));
            return new Asked(scatter.table, scatter.actors, scatter.operator, parameters, true, Map.of());
        }

        private void scatterTogether(List<Integer> stages, long start) {
            running.add(reads.readTogether(stages.stream().map(this::scatterOf).toList(), outcome -> {
                for (int i = 0; i < stages.size() && !stopped; i++) {
                    int place = i;
                    scattered(stages.get(i), start, outcome.map(all -> all.get(place)));
                }
            }));
        }

        private void scattered(int stage, long start, Outcome<QueryResult> outcome) {
            if (stopped) {
                return;
            }
            if (outcome instanceof Outcome.Err<QueryResult> err) {
                failed(this, err.error());
                return;
            }
            QueryResult result = outcome.value();
            try {
                inputs.set(stage, runs(stage, result, clock.nanos() - start));
            } catch (UniserveException e) {
                failed(this, e);
                return;
            }
            next();
        }

        /** Exactly one run of every source that was asked. */
        private Scattered runs(int stage, QueryResult result, long nanos) {
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
                ScatterOutput scatterOutput = scatterManifest.production();
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
                        ErrorCode.INTERNAL, "actors " + missing + " of stage " + stage + " did not answer");
            }
            return new Scattered(receipts, result.stats(), nanos, sent, spilled);
        }

        /** Begins the stages whose chunks are all there. */
        private void next() {
            for (int stage = 0; stage < plan.scatters.size() && !stopped; stage++) {
                Scatter map = plan.scatters.get(stage);
                if (!begun.contains(stage) && map.inputs.stream().allMatch(input -> inputs.get(input) != null)) {
                    begun.add(stage);
                    Optional<GatherEnvelope.Output> output =
                            Optional.of(new GatherEnvelope.Output(stage, plan.slots(stage)));
                    Bytes parameters = frame(map.inputs, map.actors, output, map.parameters);
                    Map<Integer, Address> near = near(map.inputs);
                    run(stage, new Asked(map.table, map.actors, map.operator, parameters, true, near), clock.nanos());
                }
            }
            if (!stopped && !gathering && inputs.stream().allMatch(Objects::nonNull)) {
                gathering = true;
                gather();
            }
        }

        private Scattered done(int stage) {
            Scattered input = inputs.get(stage);
            if (input == null) {
                throw new IllegalStateException("a stage before those whose chunks it gets have ended");
            }
            return input;
        }

        private Bytes frame(
                List<Integer> stages, List<Integer> actors, Optional<GatherEnvelope.Output> output, Bytes parameters) {
            List<GatherEnvelope.Input> frames = stages.stream()
                    .map(stage ->
                            new GatherEnvelope.Input(stage, plan.scatters.get(stage).spread, done(stage).receipts))
                    .toList();
            return GatherEnvelope.CODEC.encode(new GatherEnvelope(id, actors, frames, output, parameters));
        }

        /** Where what is kept for an actor is: there it need not travel. */
        private Map<Integer, Address> near(List<Integer> stages) {
            Map<Integer, Address> near = new TreeMap<>();
            for (int stage : stages) {
                if (plan.scatters.get(stage).spread == Distribution.KEPT) {
                    done(stage)
                            .receipts
                            .forEach(one -> near.put(one.production().actor(), one.server()));
                }
            }
            return near;
        }

        private void gather() {
            long start = clock.nanos();
            List<Integer> last = plan.last();
            Bytes parameters = frame(last, plan.actors, Optional.empty(), plan.parameters);
            Asked asked = new Asked(plan.at, plan.actors, plan.operator, parameters, false, near(last));
            running.clear();
            running.add(reads.read(asked, outcome -> {
                if (stopped) {
                    return;
                }
                if (outcome instanceof Outcome.Err<QueryResult> err) {
                    failed(this, err.error());
                } else {
                    over = true;
                    running.clear();
                    stop();
                    List<Scattered> all = IntStream.range(0, inputs.size())
                            .mapToObj(this::done)
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
                ended.accept(id);
            }
        }
    }
}
