package io.uniserve.testkit.simulation.cluster;

import io.uniserve.api.Document;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.model.TransactionLogState;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.port.kv.KvUpdates;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.ConsistentCut;
import io.uniserve.protocol.message.ReadMode;
import io.uniserve.protocol.reader.ClientContext;
import io.uniserve.protocol.reader.Query;
import io.uniserve.protocol.reader.QueryResult;
import io.uniserve.protocol.reader.RequestTracker;
import io.uniserve.protocol.reader.Update;
import io.uniserve.protocol.tx.AtomicUpdateRequest;
import io.uniserve.protocol.tx.ConsistentCutClient;
import io.uniserve.protocol.tx.ReadSnapshot;
import io.uniserve.protocol.tx.SnapshotReadClient;
import io.uniserve.protocol.tx.StrictRead;
import io.uniserve.protocol.tx.VersionWatermarks;
import io.uniserve.testkit.simulation.check.LedgerCheck;
import io.uniserve.testkit.simulation.kernel.Fault;
import io.uniserve.testkit.simulation.kernel.Prng;
import io.uniserve.testkit.simulation.registry.Ensemble;
import io.uniserve.testkit.simulation.workload.ActorKeys;
import io.uniserve.testkit.simulation.workload.Transfers;
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
    private static final List<Fault> DESTROYERS = List.of(Fault.BIT_FLIPPED, Fault.DISK_DESTROYED, Fault.ACTOR_LOST);

    private final World world;
    private final SimCluster cluster;
    private final int rf;
    private final ClientContext env;
    private final SnapshotReadClient network;
    private final ConsistentCutClient cuts;
    private final RequestTracker tracker;
    /** Watermarks of the writers. Each read gets fresh ones, so no read depends on a version seen before. */
    private final VersionWatermarks floors = new VersionWatermarks();

    private final Prng random;
    private final Book orders;
    private final Book payments;
    private final LedgerCheck check;
    private boolean over;
    private int next;

    /** One of the two tables. */
    private record Book(TableName name, Partitioner partitioner, ActorKeys keys) {
        private static Book of(String name, int actors) {
            Partitioner partitioner = new Partitioner.Hash(actors);
            return new Book(new TableName(name), partitioner, new ActorKeys(partitioner));
        }
    }

    LedgerWorkload(
            World world,
            SimCluster cluster,
            int rf,
            ClientContext env,
            SnapshotReadClient network,
            ConsistentCutClient cuts,
            Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.rf = rf;
        this.env = env;
        this.network = network;
        this.cuts = cuts;
        this.tracker = new RequestTracker(env.ids());
        this.random = random;
        this.orders = Book.of("orders", random.between(1, 3));
        this.payments = Book.of("payments", random.between(1, 3));
        this.check = new LedgerCheck(world.violations);
        world.ensemble.listen((session, zxid, applied, changed) -> applied.forEach(this::committed));
    }

    private void committed(Ensemble.Applied one) {
        Ensemble.State after = one.after();
        if (after != null && after.value() instanceof TransactionLogState log) {
            String path = one.op().path();
            if (path.equals(RegistryPaths.log(orders.name(), log.tableId()))) {
                check.committedOrders(log.version());
            } else if (path.equals(RegistryPaths.log(payments.name(), log.tableId()))) {
                check.committedPayments(log.version());
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
        over = true;
    }

    private void create(Book book) {
        if (over || route(book).isPresent()) {
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
                        outcome -> world.trace.line("create table " + book.name() + " " + told(outcome))));
        world.queue.after(5 * SECOND, () -> create(book));
    }

    private static String told(Outcome<?> outcome) {
        return outcome instanceof Outcome.Err<?> err ? err.error().code().name() : "ok";
    }

    private Optional<TableRoute> route(Book book) {
        return env.routing().current().table(book.name());
    }

    /** Writes orders and payments repeatedly. Without an acknowledged order it writes no payment. */
    private void write(String writer) {
        world.queue.after(random.below(random.below(10) == 0 ? SECOND : 30 * MILLI), () -> {
            if (!over && random.below(TRANSFERS_ONE_IN) == 0) {
                move(random.below(2) == 0 ? orders : payments, () -> write(writer));
            } else if (!over) {
                String marker = writer + "-" + next++;
                append(orders, marker, ordered -> {
                    if (ordered) {
                        check.ordered(marker);
                        append(payments, marker, paid -> {
                            if (paid) {
                                check.paid(marker);
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

    private void append(Book book, String marker, Consumer<Boolean> then) {
        int actor = random.below(book.keys().count());
        int list = ActorKeys.list(actor, random.below(ActorKeys.LISTS_PER_ACTOR));
        Update.ActorBatch batch = new Update.ActorBatch(actor, 1, book.keys().append(list, marker));
        update(book, KvUpdates.APPEND.id(), List.of(batch), then);
    }

    /** Moves amounts between rows of the table, on several actors if it has several. The outcome does not matter. */
    private void move(Book book, Runnable then) {
        TreeMap<Integer, Long> changes = Transfers.draw(random, book.keys());
        update(book, KvUpdates.ADD.id(), Transfers.batches(book.keys(), changes), moved -> then.run());
    }

    private void update(Book book, String function, List<Update.ActorBatch> batches, Consumer<Boolean> then) {
        Optional<TableRoute> route = route(book);
        Optional<RequestTracker.Ticket> ticket = tracker.begin();
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
        new AtomicUpdateRequest(env, cuts, floors, update, ticket.get(), outcome -> {
                    ticket.get().finish();
                    then.accept(outcome instanceof Outcome.Ok);
                })
                .start();
    }

    private void read() {
        world.queue.after(random.between(20 * MILLI, 300 * MILLI), () -> {
            if (over) {
                return;
            }
            if (route(orders).isEmpty() || route(payments).isEmpty()) {
                read();
            } else if (random.below(2) == 0) {
                together(new Look());
            } else {
                inRounds(new Look(), random.below(3) == 0 ? ReadMode.STRICT : ReadMode.LINEARIZABLE);
            }
        });
    }

    /** One read of both tables, from start to end. */
    private final class Look {
        private final LedgerCheck.Start start = check.start();
        private final long deadline = env.clock().nanos() + READ_NANOS;
        private final List<Book> books = random.below(2) == 0 ? List.of(orders, payments) : List.of(payments, orders);
        private final Map<Book, TreeSet<String>> seen =
                new TreeMap<>((a, b) -> a.name().compareTo(b.name()));

        private final Map<TableName, Long> totals = new TreeMap<>();

        private Query query(Book book, ReadMode mode) {
            Bytes all = KvOperators.SCAN.parameters().encode(new KvOperators.Scan("", 10_000));
            return new Query(book.name(), Optional.empty(), KvOperators.SCAN.id(), all, mode, deadline);
        }

        private void of(ConsistentCut.Table ordered, ConsistentCut.Table paid) {
            check.moment(start, ordered.version(), paid.version());
        }

        private void saw(Book book, Collection<Bytes> parts) {
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
            boolean spoilt = DESTROYERS.stream().anyMatch(world.weather.counts()::containsKey);
            if (!spoilt) {
                world.weather.count(Fault.MOMENT_READ);
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
    private void together(Look look) {
        List<Query> queries = look.books.stream()
                .map(book -> look.query(book, ReadMode.STRICT))
                .toList();
        new StrictRead(env, network, cuts, new VersionWatermarks(), queries, outcome -> {
                    if (outcome instanceof Outcome.Ok<List<StrictRead.Result>> ok) {
                        Map<TableName, ConsistentCut.Table> cut = new TreeMap<>();
                        ok.value().get(0).cut().tables().forEach(table -> cut.put(table.name(), table));
                        look.of(
                                Objects.requireNonNull(cut.get(orders.name())),
                                Objects.requireNonNull(cut.get(payments.name())));
                        for (int i = 0; i < queries.size(); i++) {
                            look.saw(
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
    private void inRounds(Look look, ReadMode mode) {
        List<TableName> tables = look.books.stream().map(Book::name).toList();
        ReadSnapshot.settle(env, network, cuts, mode, tables, look.deadline, outcome -> {
            if (outcome instanceof Outcome.Ok<ReadSnapshot> ok) {
                look.of(
                        ok.value().table(orders.name()).orElseThrow(),
                        ok.value().table(payments.name()).orElseThrow());
                round(look, ok.value(), mode, 0);
            } else {
                look.failed(outcome.error());
            }
        });
    }

    private void round(Look look, ReadSnapshot readSnapshot, ReadMode mode, int number) {
        if (number == look.books.size()) {
            look.done("in rounds, mode " + mode);
            return;
        }
        Book book = look.books.get(number);
        readSnapshot.read(env, network, cuts, look.query(book, mode), outcome -> {
            if (outcome instanceof Outcome.Ok<QueryResult> ok) {
                look.saw(book, ok.value().parts());
                env.timers().after(random.below(20 * MILLI), () -> round(look, readSnapshot, mode, number + 1));
            } else {
                look.failed(outcome.error());
            }
        });
    }
}
