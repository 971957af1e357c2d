package io.uniserve.protocol.exchange;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ExchangeId;
import io.uniserve.protocol.message.Production;
import io.uniserve.protocol.reader.QueryResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One plan of scatters and a gather, where it is owned. Stages are reads: which replica answers for an actor, and what is
 * done when one does not, is theirs. This machine settles which run of each source counts, hands just these to the gather, and begins
 * anew, with nothing of before, where something of them is lost. Single-threaded; ends exactly once.
 */
public final class ShuffleMachine {
    /** What a receipt takes beside its end markers, and each of these. */
    private static final int RECEIPT_BYTES = 128;

    private static final int MARKER_BYTES = 16;

    private final Clock clock;
    private final Timers timers;
    private final Reads reads;
    private final Consumer<ExchangeId> ended;
    private final long query;
    private final Plan plan;
    private final Completion<Result> completion;
    private int attempt;
    private @Nullable Attempt current;
    private Timers.Cancel pause = () -> {};
    private boolean over;

    /** How stages are asked for. */
    public interface Reads {
        /** Reads actors of a table: a complete answer, each actor in one part, or an error. */
        Timers.Cancel read(
                TableName table,
                List<Integer> actors,
                String operator,
                Bytes parameters,
                Completion<QueryResult> completion);

        /** True for a table whose scatters are to see one moment with those of other such tables: {@link #readTogether}. */
        default boolean together(TableName table) {
            return false;
        }

        /** Reads several scatters as of one moment; the answers in their order. */
        default Timers.Cancel readTogether(
                List<Scatter> scatters, List<Bytes> parameters, Completion<List<QueryResult>> completion) {
            throw new IllegalStateException("scatters of one moment, which nobody asked for");
        }
    }

    /**
     * What to do.
     *
     * @param actors of the gather, by slot
     * @param parameters of the gather's operator
     */
    public record Plan(List<Scatter> scatters, TableName at, List<Integer> actors, String operator, Bytes parameters) {
        public Plan {
            scatters = List.copyOf(scatters);
            actors = List.copyOf(actors);
            if (scatters.isEmpty() || scatters.size() > Limits.PLAN_SCATTERS_MAX) {
                throw UniserveException.invalid(
                        "a plan has " + scatters.size() + " scatters, use 1 to " + Limits.PLAN_SCATTERS_MAX);
            }
            if (actors.isEmpty() || actors.size() > Limits.SCATTER_SLOTS_MAX) {
                throw UniserveException.invalid(
                        "a gather at " + actors.size() + " actors, use 1 to " + Limits.SCATTER_SLOTS_MAX);
            }
            if (new TreeSet<>(actors).size() < actors.size()) {
                throw UniserveException.invalid("a gather names an actor twice: " + actors);
            }
            long chunks = 0;
            for (Scatter scatter : scatters) {
                chunks += (long) scatter.actors.size() * actors.size(); // of a broadcast too: each slot wants it
            }
            if (chunks > Limits.PLAN_CHUNKS_MAX) {
                throw new UniserveException(
                        ErrorCode.TOO_LARGE,
                        "a plan of " + chunks + " chunks, at most " + Limits.PLAN_CHUNKS_MAX
                                + ": gather at a table of fewer actors");
            }
            long bytes = parameters.size();
            for (Scatter scatter : scatters) {
                check(scatter.operator, scatter.parameters.size());
                bytes += (long) scatter.actors.size()
                        * (RECEIPT_BYTES + MARKER_BYTES * (scatter.broadcast ? 1L : actors.size()));
            }
            check(operator, bytes); // before scatters run in vain
        }

        private static void check(String operator, long bytes) {
            if (bytes > Limits.PARAMETER_BYTES_MAX) {
                throw new UniserveException(
                        ErrorCode.TOO_LARGE,
                        "the parameters of " + operator + " would have " + bytes + " bytes, at most "
                                + Limits.PARAMETER_BYTES_MAX + ": gather at a table of fewer actors, or ask with less");
            }
        }
    }

    /** One input. */
    public record Scatter(TableName table, List<Integer> actors, String operator, Bytes parameters, boolean broadcast) {
        public Scatter {
            actors = List.copyOf(actors);
        }
    }

    /**
     * How it ended.
     *
     * @param inputs the runs that count, and what their stage took
     * @param gathered the gather's values
     * @param attempts 1, or more where something was lost
     */
    public record Result(List<Scattered> inputs, QueryResult gathered, long gatherNanos, int attempts) {
        public Result {
            inputs = List.copyOf(inputs);
        }
    }

    /** A scatter's end. */
    public record Scattered(List<Receipt> receipts, QueryResult.Stats stats, long nanos) {
        public Scattered {
            receipts = List.copyOf(receipts);
        }

        /** Rows in all chunks. */
        public long rows() {
            return receipts.stream().mapToLong(Receipt::rows).sum();
        }

        /** Bytes of all chunks as they are kept. */
        public long bytes() {
            return receipts.stream().mapToLong(Receipt::bytes).sum();
        }

        /** Those in files. */
        public long spilledBytes() {
            return receipts.stream().mapToLong(Receipt::spilledBytes).sum();
        }

        /** Where the runs that count were. */
        public List<String> servers() {
            return receipts.stream()
                    .map(receipt -> receipt.server().toString())
                    .distinct()
                    .sorted()
                    .toList();
        }
    }

    /**
     * @param ended tells all servers to let go of an attempt
     * @param query drawn at random
     */
    public ShuffleMachine(
            Clock clock,
            Timers timers,
            Reads reads,
            Consumer<ExchangeId> ended,
            long query,
            Plan plan,
            Completion<Result> completion) {
        this.clock = clock;
        this.timers = timers;
        this.reads = reads;
        this.ended = ended;
        this.query = query;
        this.plan = plan;
        this.completion = completion;
    }

    /** Call once. */
    public void start() {
        attempt++;
        Attempt begun = new Attempt(new ExchangeId(query, attempt));
        current = begun;
        begun.scatter();
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
        if (error.code() == ErrorCode.EXCHANGE_LOST && attempt < Limits.EXCHANGE_ATTEMPTS) {
            // Who has lost something may be about to come back, or the map to tell that it will not.
            pause = timers.after(Limits.EXCHANGE_PAUSE_MS * 1_000_000 << (attempt - 1), this::start);
        } else {
            over = true;
            completion.done(Outcome.err(error));
        }
    }

    /** All stages, once. */
    private final class Attempt {
        private final ExchangeId id;
        private final List<Timers.Cancel> running = new ArrayList<>();
        private final List<@Nullable Scattered> inputs = new ArrayList<>();
        private int open = plan.scatters.size();
        private boolean stopped;

        private Attempt(ExchangeId id) {
            this.id = id;
            plan.scatters.forEach(scatter -> inputs.add(null));
        }

        private void scatter() {
            long start = clock.nanos();
            List<Integer> together = new ArrayList<>();
            for (int stage = 0; stage < plan.scatters.size(); stage++) {
                if (reads.together(plan.scatters.get(stage).table)) {
                    together.add(stage);
                }
            }
            if (together.size() > 1) {
                scatterTogether(together, start);
            } else {
                together.clear();
            }
            for (int stage = 0; stage < plan.scatters.size() && !stopped; stage++) {
                if (together.contains(stage)) {
                    continue;
                }
                int place = stage;
                Scatter scatter = plan.scatters.get(stage);
                int slots = slots(scatter);
                Bytes parameters = parameters(stage);
                running.add(reads.read(
                        scatter.table,
                        scatter.actors,
                        scatter.operator,
                        parameters,
                        outcome -> scattered(place, slots, start, outcome)));
            }
        }

        private int slots(Scatter scatter) {
            return scatter.broadcast ? 1 : plan.actors.size();
        }

        private Bytes parameters(int stage) {
            Scatter scatter = plan.scatters.get(stage);
            return ScatterFrame.CODEC.encode(new ScatterFrame(id, stage, slots(scatter), scatter.parameters));
        }

        private void scatterTogether(List<Integer> stages, long start) {
            running.add(reads.readTogether(
                    stages.stream().map(plan.scatters::get).toList(),
                    stages.stream().map(this::parameters).toList(),
                    outcome -> {
                        for (int i = 0; i < stages.size() && !stopped; i++) {
                            int place = i;
                            int stage = stages.get(i);
                            scattered(
                                    stage, slots(plan.scatters.get(stage)), start, outcome.map(all -> all.get(place)));
                        }
                    }));
        }

        private void scattered(int stage, int slots, long start, Outcome<QueryResult> outcome) {
            if (stopped) {
                return;
            }
            if (outcome instanceof Outcome.Err<QueryResult> err) {
                failed(this, err.error());
                return;
            }
            QueryResult result = ((Outcome.Ok<QueryResult>) outcome).value();
            try {
                inputs.set(stage, new Scattered(receipts(stage, slots, result), result.stats(), clock.nanos() - start));
            } catch (UniserveException e) {
                failed(this, e);
                return;
            }
            if (--open == 0) {
                gather();
            }
        }

        /** Exactly one run of every source that was asked. */
        private List<Receipt> receipts(int stage, int slots, QueryResult result) {
            Scatter scatter = plan.scatters.get(stage);
            Set<Integer> missing = new TreeSet<>(scatter.actors);
            List<Receipt> receipts = new ArrayList<>();
            for (int i = 0; i < result.parts().size(); i++) {
                Receipt receipt = Receipt.of(result.parts().get(i));
                Production production = receipt.production();
                boolean known = result.actors().get(i).equals(List.of(production.actor()))
                        && production.exchange().equals(id)
                        && production.stage() == stage
                        && receipt.chunks().size() == slots;
                if (!known || !missing.remove(production.actor())) {
                    throw new UniserveException(
                            ErrorCode.INTERNAL,
                            "actors " + result.actors().get(i) + " of scatter " + stage + " answered with "
                                    + production);
                }
                receipts.add(receipt);
            }
            if (!missing.isEmpty()) {
                throw new UniserveException(
                        ErrorCode.INTERNAL, "actors " + missing + " of scatter " + stage + " did not answer");
            }
            return receipts;
        }

        private void gather() {
            long start = clock.nanos();
            List<Scattered> complete = new ArrayList<>();
            List<GatherFrame.Input> frames = new ArrayList<>();
            for (int stage = 0; stage < inputs.size(); stage++) {
                Scattered input = inputs.get(stage);
                if (input == null) {
                    throw new IllegalStateException("a gather before its scatters have ended");
                }
                complete.add(input);
                frames.add(new GatherFrame.Input(plan.scatters.get(stage).broadcast, input.receipts));
            }
            Bytes parameters = GatherFrame.CODEC.encode(new GatherFrame(id, plan.actors, frames, plan.parameters));
            running.clear();
            running.add(reads.read(plan.at, plan.actors, plan.operator, parameters, outcome -> {
                if (stopped) {
                    return;
                }
                if (outcome instanceof Outcome.Err<QueryResult> err) {
                    failed(this, err.error());
                } else {
                    over = true;
                    running.clear();
                    stop();
                    completion.done(
                            outcome.map(result -> new Result(complete, result, clock.nanos() - start, attempt)));
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
