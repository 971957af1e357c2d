package io.uniserve.simulator.workload;

import io.uniserve.api.plan.Distribution;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.client.transaction.SnapshotReadClient;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.exchange.ShuffleStateMachine;
import io.uniserve.protocol.exchange.StageReadExecutor;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.simulator.check.ViolationCollector;
import io.uniserve.simulator.engine.ListOperators;
import io.uniserve.simulator.engine.ListOperators.Arrival;
import io.uniserve.simulator.engine.ListOperators.Row;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.FaultIntensity;
import io.uniserve.simulator.kernel.Prng;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Plans with scatters, run as by the owner of a query: they split the rows of all actors into slots, transfer the chunks and gather them.
 * ONCE: the answer has every row of one state of each actor exactly once.
 */
public final class ShuffleWorkload {
    private static final long GIVEN_UP_NANOS_MAX = 3_000_000_000L;
    private static final int SLOTS_MAX = 6;

    private final ClientContext env;
    private final SnapshotReadClient versions;
    private final ConsistentSnapshotClient cuts;
    private final Network peers;
    private final boolean versioned;
    private final TableName table;
    private final ActorKeys keys;
    private final ViolationCollector violations;
    private final FaultIntensity faultIntensity;

    /** @param versioned true for an atomic table */
    public ShuffleWorkload(
            ClientContext env,
            SnapshotReadClient versions,
            ConsistentSnapshotClient cuts,
            Network peers,
            boolean versioned,
            TableName table,
            ActorKeys keys,
            ViolationCollector violations,
            FaultIntensity faultIntensity) {
        this.env = env;
        this.versions = versions;
        this.cuts = cuts;
        this.peers = peers;
        this.versioned = versioned;
        this.table = table;
        this.keys = keys;
        this.violations = violations;
        this.faultIntensity = faultIntensity;
    }

    /** Listener to the result of a plan. */
    interface Listener {
        /** Called with the lists of one input of the plan. */
        void onLists(long version, TreeMap<Integer, List<String>> lists);

        /** Called at the end of the plan, after all lists. */
        void onEnded(Optional<ErrorCode> error, String what);
    }

    /**
     * Starts a plan.
     *
     * @param nanos time until its deadline
     * @param wanted false for a plan that may be cancelled before its end
     */
    void begin(String name, Prng random, ReadMode mode, long nanos, boolean wanted, Listener heard) {
        List<Integer> all = IntStream.range(0, keys.count()).boxed().toList();
        TreeSet<Integer> slots = new TreeSet<>();
        for (int left = random.between(1, SLOTS_MAX); left > 0; left--) {
            slots.add(random.below(keys.count()));
        }
        Bytes salt = ListOperators.GATHER.parameters().encode(random.next());
        ShuffleStateMachine.Plan plan = new ShuffleStateMachine.Plan(
                stages(random, all), table, List.copyOf(slots), ListOperators.GATHER.id(), salt);
        long[] version = {0};
        long deadlineNanos = env.clock().nanos() + nanos;
        StageReadExecutor reads = new StageReadExecutor(
                env,
                versions,
                cuts,
                peers,
                mode,
                deadlineNanos,
                named -> versioned,
                (named, operator, seen) ->
                        version[0] = operator.equals(ListOperators.SCATTER.id()) ? seen : version[0]);
        ShuffleStateMachine machine = new ShuffleStateMachine(
                env.clock(),
                env.timers(),
                reads,
                reads::endAttempt,
                env.ids().next(),
                deadlineNanos,
                plan,
                outcome -> ended(name, plan, version, outcome, heard));
        machine.start();
        if (!wanted) {
            env.timers().after(random.below(GIVEN_UP_NANOS_MAX), machine::cancel);
        }
    }

    /** Draws one or two scatters. In half of the plans a map at all actors takes all of them, or those before it, as its input. */
    private List<ShuffleStateMachine.Scatter> stages(Prng random, List<Integer> all) {
        List<ShuffleStateMachine.Scatter> stages = new ArrayList<>();
        boolean map = random.below(2) == 0;
        int first = map ? random.between(1, 2) : 0;
        for (int input = 0; input < first; input++) {
            stages.add(scatter(
                    random, all, input, random.below(4) == 0 ? Distribution.COLOCATED : Distribution.PARTITIONED));
        }
        if (map) {
            Distribution distribution = random.below(4) == 0 ? Distribution.BROADCAST : Distribution.PARTITIONED;
            Bytes salt = ListOperators.MAP.parameters().encode(random.next());
            List<Integer> inputs = IntStream.range(0, first).boxed().toList();
            stages.add(new ShuffleStateMachine.Scatter(table, all, ListOperators.MAP.id(), salt, distribution, inputs));
        }
        for (int more = map ? random.below(2) : random.between(1, 2); more > 0; more--) {
            stages.add(scatter(
                    random,
                    all,
                    stages.size(),
                    random.below(4) == 0 ? Distribution.BROADCAST : Distribution.PARTITIONED));
        }
        return stages;
    }

    private ShuffleStateMachine.Scatter scatter(Prng random, List<Integer> all, int number, Distribution distribution) {
        Bytes salt = ListOperators.SCATTER.parameters().encode(ListOperators.salted(random.next(), number));
        return new ShuffleStateMachine.Scatter(table, all, ListOperators.SCATTER.id(), salt, distribution);
    }

    /** True if every slot of the gather gets all rows of the scatter. */
    private static boolean broadcast(ShuffleStateMachine.Plan plan, int scatter) {
        int last = scatter;
        for (int stage = scatter; stage < plan.scatters().size(); stage++) {
            last = plan.scatters().get(stage).inputs().contains(last) ? stage : last;
        }
        return plan.scatters().get(last).distribution() == Distribution.BROADCAST;
    }

    private void ended(
            String name,
            ShuffleStateMachine.Plan plan,
            long[] version,
            Outcome<ShuffleStateMachine.Result> outcome,
            Listener heard) {
        if (outcome instanceof Outcome.Err<ShuffleStateMachine.Result> failed) {
            UniserveException error = failed.error();
            if (error.code() == ErrorCode.TOO_LARGE) {
                faultIntensity.count(Fault.PLAN_TOO_LARGE); // the seed draws the query's limit
            }
            heard.onEnded(Optional.of(error.code()), error.reason());
            return;
        }
        ShuffleStateMachine.Result result = outcome.value();
        if (result.attempts() > 1) {
            faultIntensity.count(Fault.PLAN_REPEATED);
        }
        if (result.inputs().stream().anyMatch(input -> input.spilledBytes() > 0)) {
            faultIntensity.count(Fault.CHUNK_SPILLED);
        }
        List<List<Arrival>> slots = new ArrayList<>();
        for (Bytes part : result.gathered().parts()) {
            slots.add(ListOperators.GATHER.values().decode(part));
        }
        if (slots.size() != plan.actors().size()) {
            violations.add(
                    "ONCE",
                    name + " has " + slots.size() + " slots of " + plan.actors().size());
        }
        for (int input = 0; input < plan.scatters().size(); input++) {
            int place = input;
            if (!plan.scatters().get(input).inputs().isEmpty()) {
                continue;
            }
            List<List<Arrival>> came = slots.stream()
                    .map(slot -> slot.stream()
                            .filter(arrival -> arrival.input() == place)
                            .toList())
                    .toList();
            List<List<Arrival>> wholes = broadcast(plan, input)
                    ? came
                    : List.of(came.stream().flatMap(List::stream).toList());
            List<TreeMap<Integer, List<String>>> lists =
                    wholes.stream().map(whole -> lists(name, whole)).distinct().toList();
            if (lists.size() > 1) {
                violations.add("ONCE", name + " sent all of input " + input + " to every slot, and they differ");
            }
            heard.onLists(version[0], lists.get(0));
        }
        heard.onEnded(
                Optional.empty(),
                plan.scatters().size() + " stages, " + slots.size() + " slots, " + result.attempts() + " attempts");
    }

    /** The lists of these rows. Checks that each row of all actors is there once. */
    private TreeMap<Integer, List<String>> lists(String name, List<Arrival> whole) {
        TreeMap<Integer, List<Row>> bySource = new TreeMap<>();
        TreeMap<Integer, Integer> totals = new TreeMap<>();
        for (Arrival arrival : whole) {
            bySource.computeIfAbsent(arrival.source(), source -> new ArrayList<>())
                    .addAll(arrival.rows());
            int total = totals.computeIfAbsent(arrival.source(), source -> arrival.total());
            if (total != arrival.total()) {
                violations.add("ONCE", name + " has rows of two states of actor " + arrival.source());
            }
        }
        if (totals.size() != keys.count()) {
            violations.add("ONCE", name + " has rows of actors " + totals.keySet() + " of " + keys.count());
        }
        TreeMap<Integer, List<String>> lists = new TreeMap<>();
        bySource.forEach((source, rows) -> {
            if (rows.size() != totals.getOrDefault(source, 0)) {
                violations.add(
                        "ONCE",
                        name + " has " + rows.size() + " rows of actor " + source + ", which had "
                                + totals.getOrDefault(source, 0));
            }
            Map<String, TreeMap<Integer, String>> byKey = new TreeMap<>();
            for (Row row : rows) {
                if (byKey.computeIfAbsent(row.key(), key -> new TreeMap<>()).put(row.place(), row.marker()) != null) {
                    violations.add("ONCE", name + " has row " + row + " of actor " + source + " twice");
                }
            }
            byKey.forEach((key, markers) -> {
                if (markers.firstKey() != 0 || markers.lastKey() != markers.size() - 1) {
                    violations.add("ONCE", name + " has rows " + markers.keySet() + " of " + key);
                }
                lists.put(keys.number(key), List.copyOf(markers.values()));
            });
        });
        return lists;
    }
}
