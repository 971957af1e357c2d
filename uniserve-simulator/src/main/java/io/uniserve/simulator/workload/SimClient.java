package io.uniserve.simulator.workload;

import io.uniserve.api.Document;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ActorState;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.port.kv.KvUpdateFunctions;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryExecution;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.update.RequestTracker;
import io.uniserve.protocol.client.update.Update;
import io.uniserve.protocol.client.update.UpdateExecution;
import io.uniserve.protocol.client.update.UpdateResult;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import io.uniserve.simulator.check.ClientHistory;
import io.uniserve.simulator.check.ClientHistory.Append;
import io.uniserve.simulator.check.ViolationCollector;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import io.uniserve.simulator.kernel.Prng;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Simulated client of an eventual table. It appends unique markers and reads lists through the real client machines, and records the
 * results.
 */
public final class SimClient implements ClientProcess {
    private static final long SECOND = 1_000_000_000L;
    private static final long READ_NANOS = 5 * SECOND;
    private static final int SHUFFLES_ONE_IN = 40;

    private final String name;
    private final EventQueue queue;
    private final Prng random;
    private final ClientContext env;
    private final ShuffleWorkload shuffles;
    private final Runnable crash;
    private final RequestTracker tracker;
    private final TableName table;
    private final ActorKeys keys;
    private final ClientHistory history;
    private final ViolationCollector violations;
    private final EventTrace trace;
    private final OperationCounters operationCounters;
    private int next;
    private int outstanding;

    public SimClient(
            String name,
            EventQueue queue,
            Prng random,
            ClientContext env,
            ShuffleWorkload shuffles,
            Runnable crash,
            TableName table,
            ActorKeys keys,
            ClientHistory history,
            ViolationCollector violations,
            EventTrace trace,
            OperationCounters operationCounters) {
        this.name = name;
        this.queue = queue;
        this.random = random;
        this.env = env;
        this.shuffles = shuffles;
        this.crash = crash;
        this.tracker = new RequestTracker(env.ids());
        this.table = table;
        this.keys = keys;
        this.history = history;
        this.violations = violations;
        this.trace = trace;
        this.operationCounters = operationCounters;
    }

    @Override
    public int outstanding() {
        return outstanding;
    }

    @Override
    public void crash() {
        trace.line("client " + name + " crashes");
        crash.run();
    }

    @Override
    public void startOperation() {
        int kind = random.below(22);
        if (random.below(SHUFFLES_ONE_IN) == 0) {
            shuffle(
                    random.below(6) == 0 ? ReadMode.STALE : ReadMode.LINEARIZABLE,
                    READ_NANOS * 2,
                    random.below(8) > 0,
                    false);
        } else if (kind < 10) {
            update(
                    some(),
                    random.below(2) == 0 ? AckLevel.ISR : AckLevel.PRIMARY,
                    SECOND * random.between(5, 40),
                    false);
        } else if (kind < 18) {
            read(Optional.of(random.below(keys.count())), ReadMode.LINEARIZABLE, READ_NANOS, false);
        } else if (kind < 19) {
            read(Optional.empty(), ReadMode.LINEARIZABLE, READ_NANOS, false);
        } else if (kind >= 20) {
            readInRounds(READ_NANOS * 2, false);
        } else {
            read(Optional.of(random.below(keys.count())), ReadMode.STALE, READ_NANOS, false);
        }
    }

    /** Appends to every actor at level ISR, then reads every list. All must succeed once the faults are over. */
    @Override
    public void probe(long deadlineNanos) {
        List<Integer> all = new ArrayList<>();
        for (int actor = 0; actor < keys.count(); actor++) {
            all.add(actor);
        }
        update(all, AckLevel.ISR, deadlineNanos, true);
        all.forEach(actor -> read(Optional.of(actor), ReadMode.LINEARIZABLE, deadlineNanos, true));
        read(Optional.empty(), ReadMode.LINEARIZABLE, deadlineNanos, true);
        readInRounds(deadlineNanos, true);
        shuffle(ReadMode.LINEARIZABLE, deadlineNanos, true, true);
    }

    /** Reads all lists by a plan with scatters. The checks treat it as any other read of them. */
    private void shuffle(ReadMode mode, long nanos, boolean wanted, boolean probe) {
        Optional<TableRoute> route = env.routing().current().table(table);
        if (route.isEmpty()) {
            return;
        }
        long tableId = route.get().meta().tableId();
        List<Integer> all = IntStream.range(0, keys.count() * ActorKeys.LISTS_PER_ACTOR)
                .boxed()
                .toList();
        long invoked = queue.now();
        List<Long> before = floors(tableId, all);
        begin();
        shuffles.begin(name, random, mode, nanos, wanted, new ShuffleWorkload.Listener() {
            @Override
            public void onLists(long version, TreeMap<Integer, List<String>> lists) {
                recordRead(all, mode, invoked, before, floors(tableId, all), lists);
            }

            @Override
            public void onEnded(Optional<ErrorCode> error, String what) {
                outstanding--;
                operationCounters.ended(false, error.isEmpty());
                error.ifPresent(operationCounters::error);
                if (probe && error.filter(code -> code != ErrorCode.TOO_LARGE).isPresent()) {
                    operationCounters.probeFailed(List.of(OperationCounters.ALL_ACTORS));
                }
                trace.line(name + " shuffled: " + error.map(code -> code + " ").orElse("") + what);
            }
        });
    }

    private List<Integer> some() {
        TreeSet<Integer> actors = new TreeSet<>();
        int count = Math.min(keys.count(), random.between(1, 3));
        while (actors.size() < count) {
            actors.add(random.below(keys.count()));
        }
        return List.copyOf(actors);
    }

    private void update(List<Integer> actors, AckLevel level, long deadlineNanos, boolean probe) {
        Optional<TableRoute> route = env.routing().current().table(table);
        Optional<RequestTracker.Ticket> ticket = tracker.nextRequest();
        if (route.isEmpty() || ticket.isEmpty()) {
            ticket.ifPresent(RequestTracker.Ticket::finish);
            return;
        }
        String marker = name + "-" + next++;
        Map<Integer, Append> appends = new TreeMap<>();
        List<Update.ActorBatch> batches = new ArrayList<>();
        for (int actor : actors) {
            int list = ActorKeys.list(actor, random.below(ActorKeys.LISTS_PER_ACTOR));
            appends.put(actor, history.append(name, marker, list, level == AckLevel.ISR, queue.now()));
            batches.add(new Update.ActorBatch(actor, 1, keys.append(list, marker)));
        }
        trace.line(name + " appends " + marker + " to " + actors + " " + level);
        begin();
        long deadline = env.clock().nanos() + deadlineNanos;
        Update update = new Update(
                table, route.get().meta().tableId(), KvUpdateFunctions.APPEND.id(), level, batches, deadline);
        new UpdateExecution(env, update, ticket.get(), outcome -> {
                    ticket.get().finish();
                    updated(marker, appends, outcome, probe);
                })
                .start();
    }

    private void updated(String marker, Map<Integer, Append> appends, Outcome<UpdateResult> outcome, boolean probe) {
        outstanding--;
        List<Integer> failed = List.copyOf(appends.keySet());
        if (outcome instanceof Outcome.Ok<UpdateResult> ok) {
            failed = ok.value().failed().stream()
                    .map(UpdateResult.Failure::actor)
                    .toList();
            for (ActorAck ack : ok.value().acked()) {
                Append append = appends.get(ack.actor());
                if (append == null) {
                    violations.add(
                            "I9", name + " hears of actor " + ack.actor() + ", to which " + marker + " was not sent");
                } else {
                    append.acked(queue.now(), ack.index());
                }
            }
            for (UpdateResult.Failure failure : ok.value().failed()) {
                operationCounters.error(failure.error().code());
                Append append = appends.get(failure.actor());
                if (append != null && failure.error().code() == ErrorCode.UPDATE_REFUSED) {
                    append.refused();
                }
            }
            trace.line(name + " appended " + marker + " " + ok.value().acked() + " failed "
                    + ok.value().failed().stream()
                            .map(failure ->
                                    failure.actor() + ":" + failure.error().code())
                            .toList());
        } else {
            ErrorCode code = outcome.error().code();
            operationCounters.error(code);
            trace.line(name + " failed to append " + marker + " " + code);
        }
        operationCounters.ended(true, failed.isEmpty());
        if (probe) {
            operationCounters.probeFailed(failed);
        }
    }

    private void read(Optional<Integer> actor, ReadMode mode, long deadlineNanos, boolean probe) {
        Optional<TableRoute> route = env.routing().current().table(table);
        if (route.isEmpty()) {
            return;
        }
        long tableId = route.get().meta().tableId();
        List<Integer> asked = new ArrayList<>();
        int which = random.below(ActorKeys.LISTS_PER_ACTOR);
        for (int list = 0; list < keys.count() * ActorKeys.LISTS_PER_ACTOR; list++) {
            if (actor.isEmpty() || list == ActorKeys.list(actor.get(), which)) {
                asked.add(list);
            }
        }
        Bytes parameters = actor.isPresent()
                ? KvOperators.GET.parameters().encode(keys.key(asked.get(0)))
                : KvOperators.SCAN.parameters().encode(new KvOperators.Scan("", 10_000));
        String operator = actor.isPresent() ? KvOperators.GET.id() : KvOperators.SCAN.id();
        List<Long> floors = floors(tableId, asked);
        long invoked = queue.now();
        begin();
        long deadline = env.clock().nanos() + deadlineNanos;
        Query query = new Query(table, actor.map(List::of), operator, parameters, mode, deadline);
        new QueryExecution(env, query, outcome -> {
                    outstanding--;
                    operationCounters.ended(false, outcome instanceof Outcome.Ok);
                    if (outcome instanceof Outcome.Ok<QueryResult> ok) {
                        onRead(asked, mode, invoked, floors, floors(tableId, asked), ok.value());
                    } else {
                        ErrorCode code = outcome.error().code();
                        operationCounters.error(code);
                        if (probe) {
                            operationCounters.probeFailed(List.of(actor.orElse(OperationCounters.ALL_ACTORS)));
                        }
                        trace.line(name + " failed to read " + asked + " " + code);
                    }
                })
                .start();
    }

    /** Runs a query of several rounds. The checks treat its first round as any other read of all lists. */
    private void readInRounds(long deadlineNanos, boolean probe) {
        Optional<TableRoute> route = env.routing().current().table(table);
        if (route.isEmpty()) {
            return;
        }
        long tableId = route.get().meta().tableId();
        List<Integer> all = IntStream.range(0, keys.count() * ActorKeys.LISTS_PER_ACTOR)
                .boxed()
                .toList();
        MultiRoundRead.FirstRoundListener first = new MultiRoundRead.FirstRoundListener() {
            private long invoked;
            private List<Long> before = List.of();

            @Override
            public void begins() {
                invoked = queue.now();
                before = floors(tableId, all);
            }

            @Override
            public void read(Map<Integer, List<String>> lists) {
                recordRead(all, ReadMode.LINEARIZABLE, invoked, before, floors(tableId, all), lists);
            }
        };
        begin();
        new MultiRoundRead(name, random, env, table, keys, violations, deadlineNanos, first, (error, what) -> {
                    outstanding--;
                    operationCounters.ended(false, error.isEmpty());
                    error.ifPresent(operationCounters::error);
                    if (probe && error.isPresent() && error.get() != ErrorCode.VERSION_GONE) {
                        operationCounters.probeFailed(List.of(OperationCounters.ALL_ACTORS));
                    }
                    trace.line(name + " read in rounds: " + what + " "
                            + error.map(ErrorCode::name).orElse("ok"));
                })
                .start();
    }

    private void onRead(
            List<Integer> asked, ReadMode mode, long invoked, List<Long> before, List<Long> after, QueryResult result) {
        int actors = asked.size() == 1 ? 1 : keys.count();
        if (result.parts().size() != actors) {
            violations.add(
                    "I11",
                    name + " asked " + actors + " actors and got "
                            + result.parts().size() + " parts");
        }
        List<Document> documents = new ArrayList<>();
        for (Bytes part : result.parts()) {
            documents.addAll(KvOperators.GET.values().decode(part));
        }
        recordRead(asked, mode, invoked, before, after, keys.lists(documents));
    }

    private void recordRead(
            List<Integer> asked,
            ReadMode mode,
            long invoked,
            List<Long> before,
            List<Long> after,
            Map<Integer, List<String>> lists) {
        StringBuilder sizes = new StringBuilder();
        for (int i = 0; i < asked.size(); i++) {
            int list = asked.get(i);
            List<String> markers = lists.getOrDefault(list, List.of());
            long floor = Math.min(before.get(i), after.get(i));
            history.read(new ClientHistory.Read(
                    name, list, invoked, queue.now(), floor, mode == ReadMode.LINEARIZABLE, markers));
            sizes.append(' ').append(list).append(':').append(markers.size());
        }
        trace.line(name + " read" + sizes + " " + mode);
    }

    private List<Long> floors(long tableId, List<Integer> lists) {
        List<ActorState> states =
                env.routing().current().table(table).orElseThrow().map().actors();
        return lists.stream()
                .map(list -> env.state().watermarks().watermark(tableId, states.get(ActorKeys.actorOf(list))))
                .toList();
    }

    private void begin() {
        outstanding++;
        operationCounters.started();
    }
}
