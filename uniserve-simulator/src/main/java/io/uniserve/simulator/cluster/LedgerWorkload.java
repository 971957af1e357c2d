package io.uniserve.simulator.cluster;

import io.uniserve.api.Document;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.port.kv.KvUpdateFunctions;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.transaction.AtomicTablesSnapshot;
import io.uniserve.protocol.client.transaction.AtomicUpdateRequest;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.client.transaction.SnapshotReadClient;
import io.uniserve.protocol.client.transaction.StrictReadExecution;
import io.uniserve.protocol.client.transaction.VersionWatermarks;
import io.uniserve.protocol.client.update.RequestTracker;
import io.uniserve.protocol.client.update.Update;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.simulator.check.LedgerCheck;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.registry.SimEnsemble;
import io.uniserve.simulator.workload.ActorKeys;
import io.uniserve.simulator.workload.TransferGenerator;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Workload of two atomic tables that are read at one snapshot.
 *
 * <p>A payment is written after its order is acknowledged, and nothing is deleted. In each table amounts move between rows, so their total
 * is 0 in every snapshot. Both tables have {@link OnLoss#WAIT}. After the first fault that may destroy data the reads are not checked any
 * more.
 */
public final class LedgerWorkload {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final long UPDATE_NANOS = 8 * SECOND;
    private static final long READ_NANOS = 6 * SECOND;
    private static final int TRANSFERS_ONE_IN = 3;
    private static final List<Fault> DATA_LOSS_FAULTS =
            List.of(Fault.BIT_FLIPPED, Fault.DISK_DESTROYED, Fault.ACTOR_LOST);

    private final SimulationContext world;
    private final SimCluster cluster;
    private final int rf;
    private final ClientContext env;
    private final SnapshotReadClient network;
    private final ConsistentSnapshotClient consistentCuts;
    private final RequestTracker tracker;
    /** Watermarks of the writers. Each read gets fresh ones, so no read depends on a version seen before. */
    private final VersionWatermarks watermarks = new VersionWatermarks();

    private final Prng random;
    private final LedgerTable orders;
    private final LedgerTable payments;
    private final LedgerCheck check;
    private boolean ended;
    private int next;

    /** One of the two tables. */
    private record LedgerTable(TableName name, Partitioner partitioner, ActorKeys keys) {
        private static LedgerTable of(String name, int actors) {
            Partitioner partitioner = new Partitioner.Hash(actors);
            return new LedgerTable(new TableName(name), partitioner, new ActorKeys(partitioner));
        }
    }

    LedgerWorkload(
            SimulationContext world,
            SimCluster cluster,
            int rf,
            ClientContext env,
            SnapshotReadClient network,
            ConsistentSnapshotClient cuts,
            Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.rf = rf;
        this.env = env;
        this.network = network;
        this.consistentCuts = cuts;
        this.tracker = new RequestTracker(env.ids());
        this.random = random;
        this.orders = LedgerTable.of("orders", random.between(1, 3));
        this.payments = LedgerTable.of("payments", random.between(1, 3));
        this.check = new LedgerCheck(world.violations);
        world.ensemble.addListener((session, zxid, applied, changed) -> applied.forEach(this::committed));
    }

    private void committed(SimEnsemble.Applied one) {
        SimEnsemble.State after = one.after();
        if (after != null && after.value() instanceof TransactionLogState log) {
            String path = one.op().path();
            if (path.equals(RegistryPaths.log(orders.name(), log.tableId()))) {
                check.committedOrders(log.committedVersion());
            } else if (path.equals(RegistryPaths.log(payments.name(), log.tableId()))) {
                check.committedPayments(log.committedVersion());
            }
        }
    }

    /** Creates the tables, then starts to write and read. */
    public void begin() {
        create(orders);
        create(payments);
        for (int writer = random.between(1, 3); writer > 0; writer--) {
            write("w" + writer);
        }
        read();
    }

    /** Ends the workload. */
    public void end() {
        ended = true;
    }

    private void create(LedgerTable book) {
        if (ended || route(book).isPresent()) {
            return;
        }
        TableMeta meta = new TableMeta(
                book.name(),
                0,
                book.partitioner(),
                ActorKeys.KEY_FIELD,
                ConsistencyLevel.FULLY_SERIALIZABLE,
                rf,
                1,
                OnLoss.WAIT,
                KvEngine.NAME,
                Map.of());
        cluster.leader()
                .ifPresent(leader -> leader.onAdmin(
                        new AdminRequest.CreateTable(meta),
                        outcome -> world.trace.line("create table " + book.name() + " " + describe(outcome))));
        world.queue.after(5 * SECOND, () -> create(book));
    }

    private static String describe(Outcome<?> outcome) {
        return outcome instanceof Outcome.Err<?> err ? err.error().code().name() : "ok";
    }

    private Optional<TableRoute> route(LedgerTable book) {
        return env.routing().current().table(book.name());
    }

    /** Writes orders and payments repeatedly. Without an acknowledged order it writes no payment. */
    private void write(String writer) {
        world.queue.after(random.below(random.below(10) == 0 ? SECOND : 30 * MILLI), () -> {
            if (!ended && random.below(TRANSFERS_ONE_IN) == 0) {
                move(random.below(2) == 0 ? orders : payments, () -> write(writer));
            } else if (!ended) {
                String marker = writer + "-" + next++;
                append(orders, marker, ordered -> {
                    if (ordered) {
                        check.onOrder(marker);
                        append(payments, marker, paid -> {
                            if (paid) {
                                check.onPayment(marker);
                            }
                            write(writer);
                        });
                    } else {
                        write(writer);
                    }
                });
            }
        });
    }

    private void append(LedgerTable book, String marker, Consumer<Boolean> then) {
        int actor = random.below(book.keys().count());
        int list = ActorKeys.list(actor, random.below(ActorKeys.LISTS_PER_ACTOR));
        Update.ActorBatch batch = new Update.ActorBatch(actor, 1, book.keys().append(list, marker));
        update(book, KvUpdateFunctions.APPEND.id(), List.of(batch), then);
    }

    /** Moves amounts between rows of the table, on several actors if it has several. The outcome does not matter. */
    private void move(LedgerTable book, Runnable then) {
        TreeMap<Integer, Long> changes = TransferGenerator.draw(random, book.keys());
        update(book, KvUpdateFunctions.ADD.id(), TransferGenerator.batches(book.keys(), changes), moved -> then.run());
    }

    private void update(LedgerTable book, String function, List<Update.ActorBatch> batches, Consumer<Boolean> then) {
        Optional<TableRoute> route = route(book);
        Optional<RequestTracker.Ticket> ticket = tracker.nextRequest();
        if (route.isEmpty() || ticket.isEmpty()) {
            ticket.ifPresent(RequestTracker.Ticket::finish);
            then.accept(false);
            return;
        }
        Update update = new Update(
                book.name(),
                route.get().meta().tableId(),
                function,
                AckLevel.ISR,
                batches,
                env.clock().nanos() + UPDATE_NANOS);
        new AtomicUpdateRequest(env, consistentCuts, watermarks, update, ticket.get(), outcome -> {
                    ticket.get().finish();
                    then.accept(outcome instanceof Outcome.Ok);
                })
                .start();
    }

    private void read() {
        world.queue.after(random.between(20 * MILLI, 300 * MILLI), () -> {
            if (ended) {
                return;
            }
            if (route(orders).isEmpty() || route(payments).isEmpty()) {
                read();
            } else if (random.below(2) == 0) {
                readAtOneSnapshot(new LedgerRead());
            } else {
                inRounds(new LedgerRead(), random.below(3) == 0 ? ReadMode.STRICT : ReadMode.LINEARIZABLE);
            }
        });
    }

    /** One read of both tables, from start to end. */
    private final class LedgerRead {
        private final LedgerCheck.Start start = check.start();
        private final long deadline = env.clock().nanos() + READ_NANOS;
        private final List<LedgerTable> books =
                random.below(2) == 0 ? List.of(orders, payments) : List.of(payments, orders);
        private final Map<LedgerTable, TreeSet<String>> seen =
                new TreeMap<>((a, b) -> a.name().compareTo(b.name()));

        private final Map<TableName, Long> totals = new TreeMap<>();

        private Query query(LedgerTable book, ReadMode mode) {
            Bytes all = KvOperators.SCAN.parameters().encode(new KvOperators.Scan("", 10_000));
            return new Query(book.name(), Optional.empty(), KvOperators.SCAN.id(), all, mode, deadline);
        }

        private void checkVersions(ConsistentSnapshot.Table ordered, ConsistentSnapshot.Table paid) {
            check.checkSnapshot(start, ordered.version(), paid.version());
        }

        private void addValues(LedgerTable book, Collection<Bytes> parts) {
            List<Document> documents = new ArrayList<>();
            parts.forEach(part -> documents.addAll(KvOperators.SCAN.values().decode(part)));
            TreeSet<String> markers = new TreeSet<>();
            book.keys().lists(documents).values().forEach(markers::addAll);
            seen.put(book, markers);
            totals.put(
                    book.name(),
                    book.keys().amounts(documents).values().stream()
                            .mapToLong(Long::longValue)
                            .sum());
        }

        private void done(String how) {
            boolean spoilt = DATA_LOSS_FAULTS.stream().anyMatch(world.faultIntensity.counts()::containsKey);
            if (!spoilt) {
                world.faultIntensity.count(Fault.MOMENT_READ);
                check.totals(totals);
                check.read(
                        start,
                        seen.getOrDefault(orders, new TreeSet<>()),
                        seen.getOrDefault(payments, new TreeSet<>()));
            }
            world.trace.line("ledger read " + how + ": " + (spoilt ? "not judged" : "judged"));
            read();
        }

        private void failed(UniserveException error) {
            world.trace.line("ledger not read " + error.code());
            read();
        }
    }

    /** Reads both tables by one strict read, as scatters do. */
    private void readAtOneSnapshot(LedgerRead look) {
        List<Query> queries = look.books.stream()
                .map(book -> look.query(book, ReadMode.STRICT))
                .toList();
        new StrictReadExecution(env, network, consistentCuts, new VersionWatermarks(), queries, outcome -> {
                    if (outcome instanceof Outcome.Ok<List<StrictReadExecution.Result>> ok) {
                        Map<TableName, ConsistentSnapshot.Table> cut = new TreeMap<>();
                        ok.value().get(0).consistentCut().tables().forEach(table -> cut.put(table.name(), table));
                        look.checkVersions(
                                Objects.requireNonNull(cut.get(orders.name())),
                                Objects.requireNonNull(cut.get(payments.name())));
                        for (int i = 0; i < queries.size(); i++) {
                            look.addValues(
                                    look.books.get(i),
                                    ok.value().get(i).values().values());
                        }
                        look.done("at once");
                    } else {
                        look.failed(outcome.error());
                    }
                })
                .start();
    }

    /** Takes a snapshot, then reads one table after the other, as the rounds of a plan do. */
    private void inRounds(LedgerRead look, ReadMode mode) {
        List<TableName> tables = look.books.stream().map(LedgerTable::name).toList();
        AtomicTablesSnapshot.take(env, network, consistentCuts, mode, tables, look.deadline, outcome -> {
            if (outcome instanceof Outcome.Ok<AtomicTablesSnapshot> ok) {
                look.checkVersions(
                        ok.value().table(orders.name()).orElseThrow(),
                        ok.value().table(payments.name()).orElseThrow());
                round(look, ok.value(), mode, 0);
            } else {
                look.failed(outcome.error());
            }
        });
    }

    private void round(LedgerRead look, AtomicTablesSnapshot readSnapshot, ReadMode mode, int number) {
        if (number == look.books.size()) {
            look.done("in rounds, mode " + mode);
            return;
        }
        LedgerTable book = look.books.get(number);
        readSnapshot.read(env, network, consistentCuts, look.query(book, mode), outcome -> {
            if (outcome instanceof Outcome.Ok<QueryResult> ok) {
                look.addValues(book, ok.value().parts());
                env.timers().after(random.below(20 * MILLI), () -> round(look, readSnapshot, mode, number + 1));
            } else {
                look.failed(outcome.error());
            }
        });
    }
}
