package io.uniserve.simulator.workload;

import io.uniserve.api.Document;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.port.kv.KvUpdateFunctions;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryExecution;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.transaction.AtomicUpdateRequest;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.client.transaction.SnapshotReadClient;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import io.uniserve.protocol.client.transaction.StrictReadExecution;
import io.uniserve.protocol.client.transaction.VersionWatermarks;
import io.uniserve.protocol.client.update.RequestTracker;
import io.uniserve.protocol.client.update.Update;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.simulator.check.AtomicHistory;
import io.uniserve.simulator.check.TransferHistory;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import io.uniserve.simulator.kernel.Prng;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Simulated client of an atomic table. It appends one marker to lists on several actors, moves amounts between rows of several actors, and
 * reads lists and amounts of some or all actors at one version.
 */
public final class AtomicClient implements ClientProcess {
    private static final long SECOND = 1_000_000_000L;
    private static final long READ_NANOS = 10 * SECOND;
    private static final int SHUFFLES_ONE_IN = 30;
    private static final int ROUNDS_ONE_IN = 20;
    /** Share of transfers among updates. */
    private static final int TRANSFERS_ONE_IN = 3;
    /** Share of totals among reads of all actors. */
    private static final int TOTALS_ONE_IN = 3;

    private final String name;
    private final EventQueue queue;
    private final Prng random;
    private final ClientContext env;
    private final ShuffleWorkload shuffles;
    private final SnapshotReadClient network;
    private final ConsistentSnapshotClient consistentCuts;
    private final boolean singleVersion;
    private final VersionWatermarks watermarks = new VersionWatermarks();
    private final RequestTracker tracker;
    private final Runnable crash;
    private final TableName table;
    private final ActorKeys keys;
    private final AtomicHistory history;
    private final EventTrace trace;
    private final OperationCounters operationCounters;
    private int outstanding;
    private int next;

    /** @param oneVersion false for level SERIALIZABLE, where reads of several actors are not of one version */
    public AtomicClient(
            String name,
            EventQueue queue,
            Prng random,
            ClientContext env,
            ShuffleWorkload shuffles,
            SnapshotReadClient network,
            ConsistentSnapshotClient cuts,
            boolean oneVersion,
            Runnable crash,
            TableName table,
            ActorKeys keys,
            AtomicHistory history,
            EventTrace trace,
            OperationCounters operationCounters) {
        this.name = name;
        this.queue = queue;
        this.random = random;
        this.env = env;
        this.shuffles = shuffles;
        this.network = network;
        this.consistentCuts = cuts;
        this.singleVersion = oneVersion;
        this.tracker = new RequestTracker(env.ids());
        this.crash = crash;
        this.table = table;
        this.keys = keys;
        this.history = history;
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
        int kind = random.below(20);
        if (random.below(SHUFFLES_ONE_IN) == 0) {
            shuffle(
                    random.below(3) == 0 ? ReadMode.STRICT : ReadMode.LINEARIZABLE,
                    READ_NANOS,
                    random.below(8) > 0,
                    false);
        } else if (random.below(ROUNDS_ONE_IN) == 0) {
            rounds(random.below(3) == 0 ? ReadMode.STRICT : ReadMode.LINEARIZABLE, READ_NANOS, false);
        } else if (kind < 9) {
            long nanos = SECOND * random.between(5, 40);
            if (random.below(TRANSFERS_ONE_IN) == 0) {
                transfer(nanos);
            } else {
                update(some(4), nanos, false);
            }
        } else if (kind < 13) {
            if (random.below(TOTALS_ONE_IN) == 0) {
                total(READ_NANOS, false);
            } else {
                read(all(), READ_NANOS, false);
            }
        } else if (kind < 14) {
            strict(random.below(2) == 0 ? all() : some(3), READ_NANOS, false);
        } else if (kind == 19) {
            stale(some(3));
        } else if (kind < 17) {
            read(some(kind < 15 ? 3 : 1), READ_NANOS, false);
        } else { // a new reader without a version: only the servers' guarantees prevent an old answer
            read(name + "-new" + next++, new VersionWatermarks(), some(1), READ_NANOS, false);
        }
    }

    @Override
    public void probe(long deadlineNanos) {
        update(all(), deadlineNanos, true);
        read(all(), deadlineNanos, true);
        total(deadlineNanos, true);
        strict(all(), deadlineNanos, true);
        shuffle(ReadMode.LINEARIZABLE, deadlineNanos, true, true);
        rounds(ReadMode.LINEARIZABLE, deadlineNanos, true);
    }

    /** Several rounds at one snapshot, by a new reader that has seen no version. */
    private void rounds(ReadMode mode, long nanos, boolean probe) {
        if (env.routing().current().table(table).isEmpty()) {
            return;
        }
        long invoked = queue.now();
        String reader = name + "-new" + next++;
        outstanding++;
        operationCounters.started();
        new MultiRoundSnapshotRead(
                        random,
                        env,
                        network,
                        consistentCuts,
                        table,
                        mode,
                        env.clock().nanos() + nanos,
                        () -> random.below(2) == 0 ? all() : some(3),
                        (actors, end) -> query(actors, end - env.clock().nanos(), mode),
                        new MultiRoundSnapshotRead.Listener() {
                            @Override
                            public void onRound(
                                    ConsistentSnapshot.Table of, TreeSet<Integer> actors, QueryResult result) {
                                Seen seen = new Seen(reader, invoked, of.tableId(), of.version(), true, actors);
                                recordRead(seen, documents(result.parts()));
                            }

                            @Override
                            public void onEnded(Optional<UniserveException> error, String what) {
                                outstanding--;
                                operationCounters.ended(false, error.isEmpty());
                                error.ifPresent(failure -> failed("in rounds ", all(), failure, probe));
                                trace.line(reader + " read in rounds: " + what);
                            }
                        })
                .start();
    }

    /** All lists at one version by a plan with scatters, by a new reader that has seen no version. */
    private void shuffle(ReadMode mode, long nanos, boolean wanted, boolean probe) {
        Optional<TableRoute> route = env.routing().current().table(table);
        if (route.isEmpty()) {
            return;
        }
        long number = route.get().meta().tableId();
        long invoked = queue.now();
        String reader = name + "-new" + next++;
        outstanding++;
        operationCounters.started();
        shuffles.begin(reader, random, mode, nanos, wanted, new ShuffleWorkload.Listener() {
            @Override
            public void onLists(long version, TreeMap<Integer, List<String>> lists) {
                boolean same = env.routing()
                        .current()
                        .table(table)
                        .filter(now -> now.meta().tableId() == number)
                        .isPresent();
                if (same) { // otherwise the number of the lists is unknown
                    TreeMap<Integer, List<String>> all = AtomicClient.this.lists(all(), List.<Document>of());
                    all.putAll(lists);
                    history.read(new AtomicHistory.Read(reader, invoked, queue.now(), number, version, true, all));
                }
            }

            @Override
            public void onEnded(Optional<ErrorCode> error, String what) {
                outstanding--;
                operationCounters.ended(false, error.isEmpty());
                if (probe && error.equals(Optional.of(ErrorCode.TABLE_RESTORED))) {
                    shuffle(mode, nanos, wanted, true);
                } else if (error.isPresent()) {
                    boolean due = probe && error.get() != ErrorCode.TOO_LARGE; // the seed draws the query's limit
                    failed("by a shuffle ", all(), new UniserveException(error.get(), what), due);
                } else {
                    trace.line(reader + " shuffled: " + what);
                }
            }
        });
    }

    private TreeSet<Integer> all() {
        TreeSet<Integer> all = new TreeSet<>();
        for (int actor = 0; actor < keys.count(); actor++) {
            all.add(actor);
        }
        return all;
    }

    private TreeSet<Integer> some(int most) {
        TreeSet<Integer> actors = new TreeSet<>();
        int count = random.between(1, Math.min(keys.count(), most));
        while (actors.size() < count) {
            actors.add(random.below(keys.count()));
        }
        return actors;
    }

    private void update(TreeSet<Integer> actors, long deadlineNanos, boolean probe) {
        String marker = name + "-" + next++;
        TreeSet<Integer> lists = new TreeSet<>();
        List<Update.ActorBatch> batches = new ArrayList<>();
        for (int actor : actors) {
            int list = ActorKeys.list(actor, random.below(ActorKeys.LISTS_PER_ACTOR));
            lists.add(list);
            batches.add(new Update.ActorBatch(actor, 1, keys.append(list, marker)));
        }
        AtomicHistory.Write write = history.write(name, marker, lists, queue.now());
        String what = "appends " + marker + " to lists " + lists;
        submit(
                new Change(KvUpdateFunctions.APPEND.id(), batches, what, write::committed, write::refused),
                deadlineNanos,
                probe);
    }

    /** Moves amounts between rows of several actors. */
    private void transfer(long deadlineNanos) {
        TreeMap<Integer, Long> changes = TransferGenerator.draw(random, keys);
        TransferHistory.Transfer transfer = history.transfers().transfer(changes, queue.now());
        List<Update.ActorBatch> batches = TransferGenerator.batches(keys, changes);
        String what = "moves " + changes;
        submit(
                new Change(KvUpdateFunctions.ADD.id(), batches, what, transfer::committed, transfer::refused),
                deadlineNanos,
                false);
    }

    /** Callback with time and version of a commit. */
    @FunctionalInterface
    private interface Committed {
        void at(long nanos, long version);
    }

    private record Change(
            String function, List<Update.ActorBatch> batches, String what, Committed committed, Runnable refused) {}

    private void submit(Change change, long deadlineNanos, boolean probe) {
        Optional<TableRoute> route = env.routing().current().table(table);
        Optional<RequestTracker.Ticket> ticket = tracker.nextRequest();
        if (route.isEmpty() || ticket.isEmpty()) {
            ticket.ifPresent(RequestTracker.Ticket::finish);
            change.refused.run(); // it is never sent
            return;
        }
        trace.line(name + " " + change.what);
        outstanding++;
        operationCounters.started();
        Update update = new Update(
                table,
                route.get().meta().tableId(),
                change.function,
                AckLevel.ISR,
                change.batches,
                env.clock().nanos() + deadlineNanos);
        new AtomicUpdateRequest(env, consistentCuts, watermarks, update, ticket.get(), outcome -> {
                    ticket.get().finish();
                    updated(change, outcome, probe);
                })
                .stagingLimits(random.below(4) == 0 ? 1 : Limits.STAGED_FROM_BYTES, 1)
                .start();
    }

    private void updated(Change change, Outcome<Long> outcome, boolean probe) {
        outstanding--;
        operationCounters.ended(true, outcome instanceof Outcome.Ok);
        if (outcome instanceof Outcome.Ok<Long> ok) {
            change.committed.at(queue.now(), ok.value());
            trace.line(name + " " + change.what + ": version " + ok.value());
            return;
        }
        ErrorCode code = outcome.error().code();
        operationCounters.error(code);
        if (code == ErrorCode.UPDATE_REFUSED) {
            change.refused.run();
        }
        if (probe) {
            operationCounters.probeFailed(
                    change.batches.stream().map(Update.ActorBatch::actor).toList());
        }
        trace.line(name + " " + change.what + ": " + code);
    }

    private void read(TreeSet<Integer> actors, long deadlineNanos, boolean probe) {
        read(name, watermarks, actors, deadlineNanos, probe);
    }

    private void read(
            String reader, VersionWatermarks known, TreeSet<Integer> actors, long deadlineNanos, boolean probe) {
        readActors(reader, known, actors, deadlineNanos, probe, false);
    }

    /** Reads the sum of all amounts. Servers and this client add them up. */
    private void total(long deadlineNanos, boolean probe) {
        readActors(name, watermarks, all(), deadlineNanos, probe, true);
    }

    private void readActors(
            String reader,
            VersionWatermarks known,
            TreeSet<Integer> actors,
            long deadlineNanos,
            boolean probe,
            boolean total) {
        Optional<TableRoute> route = env.routing().current().table(table);
        if (route.isEmpty()) {
            return;
        }
        long number = route.get().meta().tableId();
        long invoked = queue.now();
        outstanding++;
        operationCounters.started();
        Query query = total ? total(actors, deadlineNanos) : query(actors, deadlineNanos, ReadMode.LINEARIZABLE);
        SnapshotReadExecution machine = new SnapshotReadExecution(env, network, known, query, outcome -> {
            outstanding--;
            operationCounters.ended(false, outcome instanceof Outcome.Ok);
            if (outcome instanceof Outcome.Ok<SnapshotReadExecution.Result> ok) {
                String what = total
                        ? onTotal(reader, invoked, number, ok.value())
                        : onRead(reader, actors, invoked, number, ok.value());
                trace.line(reader + " read " + what + " at version "
                        + ok.value().version() + " in " + ok.value().rounds() + " rounds");
                return;
            }
            UniserveException error = outcome.error();
            if (restored(reader, error, probe)) {
                readActors(reader, known, actors, deadlineNanos, true, total);
            } else {
                failed(total ? "the total of " : "", actors, error, probe);
            }
        });
        if (!singleVersion) {
            machine.newestPerActor();
        }
        machine.start();
    }

    /** Reads at a snapshot that a server confirms. */
    private void strict(TreeSet<Integer> actors, long deadlineNanos, boolean probe) {
        long invoked = queue.now();
        outstanding++;
        operationCounters.started();
        List<Query> queries = List.of(query(actors, deadlineNanos, ReadMode.LINEARIZABLE));
        new StrictReadExecution(env, network, consistentCuts, watermarks, queries, outcome -> {
                    outstanding--;
                    operationCounters.ended(false, outcome instanceof Outcome.Ok);
                    if (outcome instanceof Outcome.Ok<List<StrictReadExecution.Result>> ok) {
                        StrictReadExecution.Result result = ok.value().get(0);
                        long read = result.consistentCut().tables().get(0).tableId();
                        Seen seen = new Seen(name, invoked, read, result.version(), true, actors);
                        recordRead(seen, documents(result.values().values()));
                        trace.line(name + " read strictly actors " + actors + " at version " + result.version());
                        return;
                    }
                    UniserveException error = outcome.error();
                    if (restored(name, error, probe)) {
                        strict(actors, deadlineNanos, true);
                    } else {
                        failed("strictly ", actors, error, probe);
                    }
                })
                .start();
    }

    /** Records TABLE_RESTORED. True if the client must repeat the request. */
    private boolean restored(String reader, UniserveException error, boolean probe) {
        Optional<TableRoute> route = env.routing().current().table(table);
        if (error.code() != ErrorCode.TABLE_RESTORED || route.isEmpty()) {
            return false;
        }
        long number = route.get().meta().tableId();
        history.addRestored(new AtomicHistory.Restored(reader, queue.now(), number));
        trace.line(reader + " hears that number " + number + " was restored");
        operationCounters.error(error.code());
        return probe;
    }

    private Query query(TreeSet<Integer> actors, long deadlineNanos, ReadMode mode) {
        return new Query(
                table,
                Optional.of(List.copyOf(actors)),
                KvOperators.SCAN.id(),
                KvOperators.SCAN.parameters().encode(new KvOperators.Scan("", 10_000)),
                mode,
                env.clock().nanos() + deadlineNanos);
    }

    private Query total(TreeSet<Integer> actors, long deadlineNanos) {
        return new Query(
                table,
                Optional.of(List.copyOf(actors)),
                KvOperators.SUM.id(),
                KvOperators.SUM.parameters().encode(ActorKeys.AMOUNT_FIELD),
                ReadMode.LINEARIZABLE,
                env.clock().nanos() + deadlineNanos);
    }

    private void failed(String how, TreeSet<Integer> actors, UniserveException error, boolean probe) {
        operationCounters.error(error.code());
        if (probe) {
            operationCounters.probeFailed(List.of(OperationCounters.ALL_ACTORS));
        }
        trace.line(name + " failed to read " + how + actors + " " + error.code() + " " + error.reason());
    }

    /** Reads any replica, at any version. */
    private void stale(TreeSet<Integer> actors) {
        if (env.routing().current().table(table).isEmpty()) {
            return;
        }
        outstanding++;
        operationCounters.started();
        new QueryExecution(env, query(actors, READ_NANOS, ReadMode.STALE), outcome -> {
                    outstanding--;
                    operationCounters.ended(false, outcome instanceof Outcome.Ok);
                    if (outcome instanceof Outcome.Ok<QueryResult> ok) {
                        history.stale(new AtomicHistory.Stale(
                                name,
                                queue.now(),
                                lists(actors, documents(ok.value().parts()))));
                        trace.line(name + " read any replica of " + actors);
                    } else {
                        failed("any replica of ", actors, outcome.error(), false);
                    }
                })
                .start();
    }

    private static List<Document> documents(Collection<Bytes> values) {
        List<Document> documents = new ArrayList<>();
        for (Bytes value : values) {
            documents.addAll(KvOperators.SCAN.values().decode(value));
        }
        return documents;
    }

    private static TreeSet<Integer> rows(TreeSet<Integer> actors) {
        TreeSet<Integer> rows = new TreeSet<>();
        for (int actor : actors) {
            for (int which = 0; which < ActorKeys.LISTS_PER_ACTOR; which++) {
                rows.add(ActorKeys.list(actor, which));
            }
        }
        return rows;
    }

    private TreeMap<Integer, List<String>> lists(TreeSet<Integer> actors, List<Document> documents) {
        TreeMap<Integer, List<String>> lists = new TreeMap<>();
        rows(actors).forEach(list -> lists.put(list, List.of()));
        lists.putAll(keys.lists(documents));
        return lists;
    }

    /** Read of all rows of some actors. */
    private record Seen(
            String reader, long invoked, long number, long version, boolean oneVersion, TreeSet<Integer> actors) {}

    /** Records the result: lists and, if it is of one version, amounts. */
    private void recordRead(Seen seen, List<Document> documents) {
        long now = queue.now();
        history.read(new AtomicHistory.Read(
                seen.reader,
                seen.invoked,
                now,
                seen.number,
                seen.version,
                seen.oneVersion,
                lists(seen.actors, documents)));
        if (seen.oneVersion) {
            TreeMap<Integer, Long> amounts = new TreeMap<>();
            rows(seen.actors).forEach(row -> amounts.put(row, 0L));
            amounts.putAll(keys.amounts(documents));
            boolean whole = seen.actors.size() == keys.count();
            history.transfers()
                    .addRead(TransferHistory.BalanceRead.ofRows(
                            seen.reader, seen.invoked, now, seen.version, whole, amounts));
        }
    }

    private String onRead(
            String reader, TreeSet<Integer> actors, long invoked, long number, SnapshotReadExecution.Result result) {
        Seen seen = new Seen(reader, invoked, number, result.version(), singleVersion, actors);
        recordRead(seen, documents(result.values().values()));
        return "actors " + actors;
    }

    private String onTotal(String reader, long invoked, long number, SnapshotReadExecution.Result result) {
        long now = queue.now();
        long total = result.values().values().stream()
                .mapToLong(value -> KvOperators.SUM.values().decode(value))
                .sum();
        history.read(
                new AtomicHistory.Read(reader, invoked, now, number, result.version(), singleVersion, new TreeMap<>()));
        if (singleVersion) {
            history.transfers()
                    .addRead(TransferHistory.BalanceRead.ofTotal(reader, invoked, now, result.version(), total));
        }
        return "a total of " + total;
    }
}
