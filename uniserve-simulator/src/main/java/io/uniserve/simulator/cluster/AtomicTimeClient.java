package io.uniserve.simulator.cluster;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.port.kv.KvUpdateFunctions;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryExecution;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.transaction.AtomicTablesSnapshot;
import io.uniserve.protocol.client.transaction.AtomicUpdateRequest;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.client.transaction.SnapshotReadClient;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import io.uniserve.protocol.client.transaction.StrictReadExecution;
import io.uniserve.protocol.client.transaction.VersionWatermarks;
import io.uniserve.protocol.client.update.ChunkRequester;
import io.uniserve.protocol.client.update.RequestTracker;
import io.uniserve.protocol.client.update.Update;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.simulator.check.chunk.ChunkHistory;
import io.uniserve.simulator.kernel.Prng;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;

/** Simulated client of atomic tables that are partitioned by time. It sends updates with rows of several chunks, and reads of all kinds. */
final class AtomicTimeClient {
    private static final long SECOND = 1_000_000_000L;
    private static final int KEYS = 5;
    private static final int ROWS_MAX = 4;
    private static final int SCANNED_MAX = 10_000;
    private static final Optional<ErrorCode> ABSENT = Optional.of(ErrorCode.TABLE_NOT_FOUND);

    private final String name;
    private final AtomicTimeWorkload workload;
    private final SimulationContext world;
    private final ClientContext env;
    private final SnapshotReadClient versions;
    private final ConsistentSnapshotClient snapshots;
    private final ChunkRequester.CoordinatorCall coordinator;
    private final boolean singleVersion;
    private final Prng random;
    private final RequestTracker tracker;
    private final VersionWatermarks watermarks = new VersionWatermarks();
    private int readers;

    /** @param singleVersion false for level SERIALIZABLE, whose reads of several actors are not of one version */
    AtomicTimeClient(
            String name,
            AtomicTimeWorkload workload,
            SimulationContext world,
            ClientContext env,
            SnapshotReadClient versions,
            ConsistentSnapshotClient snapshots,
            ChunkRequester.CoordinatorCall coordinator,
            boolean singleVersion,
            Prng random) {
        this.name = name;
        this.workload = workload;
        this.world = world;
        this.env = env;
        this.versions = versions;
        this.snapshots = snapshots;
        this.coordinator = coordinator;
        this.singleVersion = singleVersion;
        this.random = random;
        this.tracker = new RequestTracker(env.ids());
    }

    /** The table's route in this client's map. */
    Optional<TableRoute> route(AtomicTimeTable table) {
        return env.routing().current().table(table.name());
    }

    /** Selection of actors that a read covers, and how the client chooses them from its map. */
    private record Selection(String what, IntPredicate covered, Optional<Function<TableRoute, List<Integer>>> choice) {}

    private Selection all() {
        return new Selection("all", actor -> true, Optional.empty());
    }

    private Selection draw(AtomicTimeTable table) {
        return switch (random.below(4)) {
            case 0, 1 -> all();
            case 2 -> {
                long middle = workload.rowTime(table);
                long from = middle - workload.spanMillis();
                long to = middle + workload.spanMillis();
                yield new Selection(
                        "an interval",
                        actor -> table.time().overlaps(actor, from, to),
                        Optional.of(route -> route.actorsBetween(from, to)));
            }
            default -> {
                PartitionKey key = PartitionKey.of("key-" + random.below(KEYS));
                int bucket = table.time().bucketOf(key);
                yield new Selection(
                        "a key",
                        actor -> actor % table.time().buckets() == bucket,
                        Optional.of(route -> route.actorsOf(key)));
            }
        };
    }

    private Query query(AtomicTimeTable table, Selection selection, ReadMode mode, long nanos) {
        Query query = new Query(
                table.name(),
                Optional.empty(),
                KvOperators.SCAN.id(),
                KvOperators.SCAN.parameters().encode(new KvOperators.Scan("", SCANNED_MAX)),
                mode,
                env.clock().nanos() + nanos);
        return selection.choice().map(query::withChoice).orElse(query);
    }

    // ---- updates

    /** Sends an update with rows of these times. The consumer gets the error; empty if the update was acknowledged. */
    void update(
            AtomicTimeTable table, String marker, LongSupplier times, long nanos, Consumer<Optional<ErrorCode>> then) {
        Optional<TableRoute> route = route(table);
        TreeMap<Integer, Bytes> rows = new TreeMap<>();
        for (int row = random.between(1, ROWS_MAX); row > 0; row--) {
            String key = "key-" + random.below(KEYS);
            long at = times.getAsLong();
            try {
                table.time().checkAhead(at, env.clock().wallMillis());
            } catch (UniserveException ahead) {
                continue;
            }
            int actor = table.actorOf(at, key);
            rows.computeIfAbsent(actor, unused -> table.rows(key, at, marker, actor));
        }
        if (route.isEmpty() || rows.isEmpty()) {
            then.accept(route.isEmpty() ? ABSENT : Optional.of(ErrorCode.INVALID_ROW));
            return;
        }
        long tableId = route.get().meta().tableId();
        ChunkHistory.Write write =
                table.history().write(marker, tableId, new TreeSet<>(rows.keySet()), world.queue.now());
        TreeSet<Integer> ordinals = new TreeSet<>();
        rows.keySet().forEach(actor -> ordinals.add(table.time().ordinalOf(actor)));
        long deadline = env.clock().nanos() + nanos;
        world.trace.line(name + " sends " + marker + " to actors " + rows.keySet());
        workload.started();
        new ChunkRequester(env, coordinator, table.name(), tableId, ordinals, deadline, made -> {
                    if (made instanceof Outcome.Err<?> err) {
                        write.refused(); // it is never sent
                        Optional<ErrorCode> error = Optional.of(err.error().code());
                        workload.ended(error);
                        then.accept(error);
                    } else {
                        send(table, write, rows, deadline, then);
                    }
                })
                .start();
    }

    private void send(
            AtomicTimeTable table,
            ChunkHistory.Write write,
            TreeMap<Integer, Bytes> rows,
            long deadline,
            Consumer<Optional<ErrorCode>> then) {
        Optional<RequestTracker.Ticket> ticket = tracker.nextRequest();
        if (ticket.isEmpty()) {
            write.refused();
            Optional<ErrorCode> error = Optional.of(ErrorCode.RESOURCE_EXHAUSTED);
            workload.ended(error);
            then.accept(error);
            return;
        }
        List<Update.ActorBatch> batches = rows.entrySet().stream()
                .map(row -> new Update.ActorBatch(row.getKey(), 1, row.getValue()))
                .toList();
        Update update = new Update(
                table.name(), write.tableId(), KvUpdateFunctions.APPEND.id(), AckLevel.ISR, batches, deadline);
        new AtomicUpdateRequest(env, snapshots, watermarks, update, ticket.get(), outcome -> {
                    ticket.get().finish();
                    Optional<ErrorCode> error = error(outcome);
                    if (outcome instanceof Outcome.Ok<Long> ok) {
                        write.committed(world.queue.now(), ok.value());
                    } else if (isRefusal(error)) {
                        write.refused();
                    }
                    world.trace.line(name + " sent " + write.marker() + ": " + outcome);
                    workload.ended(error);
                    then.accept(error);
                })
                .stagingLimits(random.below(4) == 0 ? 1 : Limits.STAGED_FROM_BYTES, 1)
                .start();
    }

    /** True for errors by which the update has no effect, now and later. */
    private static boolean isRefusal(Optional<ErrorCode> error) {
        return error.filter(code -> code == ErrorCode.UPDATE_REFUSED || code == ErrorCode.CHUNK_EXPIRED)
                .isPresent();
    }

    private static Optional<ErrorCode> error(Outcome<?> outcome) {
        return outcome instanceof Outcome.Err<?> err ? Optional.of(err.error().code()) : Optional.empty();
    }

    // ---- reads

    /** State of the registry at the start of a read, which its checks need. */
    private final class ReadStart {
        private final AtomicTimeTable table;
        private final Selection selection;
        private final long invoked = world.queue.now();
        private final int firstLive;

        private ReadStart(AtomicTimeTable table, Selection selection) {
            this.table = table;
            this.selection = selection;
            this.firstLive =
                    table.route().map(route -> route.map().expiredBefore()).orElse(0);
        }

        /** @param reader client whose versions must not fall */
        private void record(
                String reader,
                String how,
                long tableId,
                long version,
                TreeMap<Integer, Long> asked,
                Collection<Bytes> values,
                boolean confirmed) {
            TreeMap<String, List<String>> lists = table.lists(values);
            world.trace.line(
                    reader + " read " + how + " of " + table.name() + " at version " + version + ": " + asked.keySet());
            TreeSet<Integer> live = new TreeSet<>(
                    table.route().map(route -> route.map().numbers()).orElse(List.of()));
            if (workload.isJudged()) {
                ChunkHistory.Scope scope = new ChunkHistory.Scope(selection.covered(), live, firstLive, confirmed);
                table.history()
                        .add(new ChunkHistory.Read(
                                reader,
                                how + " of " + selection.what(),
                                tableId,
                                version,
                                asked,
                                lists,
                                scope,
                                invoked,
                                world.queue.now()));
            }
        }
    }

    private static TreeMap<Integer, Long> asked(Collection<Integer> actors, long version) {
        TreeMap<Integer, Long> asked = new TreeMap<>();
        actors.forEach(actor -> asked.put(actor, version));
        return asked;
    }

    /** Reads one table of one version, in the default mode. A new reader has seen no version. */
    void read(AtomicTimeTable table, long nanos, boolean fresh, Consumer<Optional<ErrorCode>> then) {
        Selection selection = draw(table);
        Optional<TableRoute> route = route(table);
        if (route.isEmpty()) {
            then.accept(ABSENT);
            return;
        }
        ReadStart start = new ReadStart(table, selection);
        String reader = fresh ? name + "-new" + readers++ : name;
        workload.started();
        SnapshotReadExecution machine = new SnapshotReadExecution(
                env,
                versions,
                fresh ? new VersionWatermarks() : watermarks,
                query(table, selection, ReadMode.LINEARIZABLE, nanos),
                outcome -> {
                    if (outcome instanceof Outcome.Ok<SnapshotReadExecution.Result> ok) {
                        SnapshotReadExecution.Result result = ok.value();
                        TreeMap<Integer, Long> asked = new TreeMap<>();
                        result.parts()
                                .forEach(part ->
                                        part.actors().forEach(actor -> asked.put(actor, part.completeVersion())));
                        List<Bytes> values = result.parts().stream()
                                .map(VersionedRead.Part::value)
                                .toList();
                        start.record(reader, "newest", result.tableId(), result.version(), asked, values, false);
                    }
                    Optional<ErrorCode> error = failed(reader, "newest", outcome);
                    workload.ended(error);
                    then.accept(error);
                });
        if (!singleVersion) {
            machine.newestPerActor();
        }
        machine.start();
    }

    private Optional<ErrorCode> failed(String reader, String how, Outcome<?> outcome) {
        if (outcome instanceof Outcome.Err<?> err) {
            world.trace.line(reader + " failed to read " + how + ": "
                    + err.error().code() + " " + err.error().reason());
        }
        return error(outcome);
    }

    /** Reads one or two tables at a confirmed snapshot, in mode STRICT. */
    void strict(List<AtomicTimeTable> tables, long nanos, Consumer<Optional<ErrorCode>> then) {
        if (tables.stream().anyMatch(table -> route(table).isEmpty())) {
            then.accept(ABSENT);
            return;
        }
        List<ReadStart> starts =
                tables.stream().map(table -> new ReadStart(table, draw(table))).toList();
        int snapshot = workload.snapshotStart();
        List<Query> queries = starts.stream()
                .map(start -> query(start.table, start.selection, ReadMode.STRICT, nanos))
                .toList();
        workload.started();
        new StrictReadExecution(env, versions, snapshots, watermarks, queries, outcome -> {
                    if (outcome instanceof Outcome.Ok<List<StrictReadExecution.Result>> ok) {
                        for (int i = 0; i < starts.size(); i++) {
                            StrictReadExecution.Result result = ok.value().get(i);
                            long tableId = table(result.consistentCut(), result.table())
                                    .tableId();
                            starts.get(i)
                                    .record(
                                            name,
                                            "strictly",
                                            tableId,
                                            result.version(),
                                            asked(result.values().keySet(), result.version()),
                                            result.values().values(),
                                            true);
                        }
                        workload.checkSnapshot(snapshot, ok.value().get(0).consistentCut());
                    }
                    Optional<ErrorCode> error = failed(name, "strictly", outcome);
                    workload.ended(error);
                    then.accept(error);
                })
                .start();
    }

    private static ConsistentSnapshot.Table table(ConsistentSnapshot of, TableName name) {
        return of.tables().stream()
                .filter(table -> table.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Takes a snapshot of the tables and reads them one after the other, as the rounds of a plan do, with pauses between them. */
    void rounds(List<AtomicTimeTable> tables, ReadMode mode, long nanos, Consumer<Optional<ErrorCode>> then) {
        if (tables.stream().anyMatch(table -> route(table).isEmpty())) {
            then.accept(ABSENT);
            return;
        }
        List<ReadStart> starts = new ArrayList<>();
        for (int round = random.between(2, 3); round > 0; round--) {
            AtomicTimeTable table = random.pick(tables);
            starts.add(new ReadStart(table, draw(table)));
        }
        int snapshot = workload.snapshotStart();
        long deadline = env.clock().nanos() + nanos;
        String reader = name + "-new" + readers++;
        List<TableName> names = tables.stream().map(AtomicTimeTable::name).toList();
        workload.started();
        AtomicTablesSnapshot.take(env, versions, snapshots, mode, names, deadline, outcome -> {
            if (outcome instanceof Outcome.Ok<AtomicTablesSnapshot> ok) {
                List<ConsistentSnapshot.Table> taken = names.stream()
                        .map(table -> ok.value().table(table).orElseThrow())
                        .toList();
                workload.checkSnapshot(snapshot, new ConsistentSnapshot(taken));
                round(reader, ok.value(), starts, 0, mode, deadline, then);
            } else {
                Optional<ErrorCode> error = failed(reader, "in rounds", outcome);
                workload.ended(error);
                then.accept(error);
            }
        });
    }

    private void round(
            String reader,
            AtomicTablesSnapshot taken,
            List<ReadStart> starts,
            int number,
            ReadMode mode,
            long deadline,
            Consumer<Optional<ErrorCode>> then) {
        if (number == starts.size()) {
            workload.ended(Optional.empty());
            then.accept(Optional.empty());
            return;
        }
        ReadStart start = starts.get(number);
        Query query = query(
                start.table,
                start.selection,
                mode,
                Math.max(1, deadline - env.clock().nanos()));
        taken.read(env, versions, snapshots, query, outcome -> {
            if (outcome instanceof Outcome.Ok<QueryResult> ok) {
                ConsistentSnapshot.Table of = taken.table(start.table.name()).orElseThrow();
                TreeSet<Integer> actors = new TreeSet<>();
                ok.value().actors().forEach(actors::addAll);
                start.record(
                        reader,
                        "in rounds, mode " + mode,
                        of.tableId(),
                        of.version(),
                        asked(actors, of.version()),
                        ok.value().parts(),
                        mode == ReadMode.STRICT);
                long pause = random.below(4) == 0 ? SECOND : SECOND / 50;
                env.timers()
                        .after(
                                random.below(pause),
                                () -> round(reader, taken, starts, number + 1, mode, deadline, then));
            } else {
                Optional<ErrorCode> error = failed(reader, "in rounds", outcome);
                workload.ended(error);
                then.accept(error);
            }
        });
    }

    /** Reads any replicas, at any versions. */
    void stale(AtomicTimeTable table, long nanos, Consumer<Optional<ErrorCode>> then) {
        if (route(table).isEmpty()) {
            then.accept(ABSENT);
            return;
        }
        workload.started();
        new QueryExecution(env, query(table, all(), ReadMode.STALE, nanos), outcome -> {
                    if (outcome instanceof Outcome.Ok<QueryResult> ok && workload.isJudged()) {
                        List<String> rows = table.lists(ok.value().parts()).values().stream()
                                .flatMap(List::stream)
                                .toList();
                        table.history().add(new ChunkHistory.Stale(name, rows));
                    }
                    Optional<ErrorCode> error = failed(name, "any replicas", outcome);
                    workload.ended(error);
                    then.accept(error);
                })
                .start();
    }
}
