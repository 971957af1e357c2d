package io.uniserve.cli.load;

import io.uniserve.api.Document;
import io.uniserve.api.extra.BroadcastUpdate;
import io.uniserve.api.extra.ReplacingUpdate;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.client.UpdateOutcome;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.client.update.UpdateResult.Failure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Loader that sends rows in sequential batches, so that the later of two rows with the same key wins. An actor rejects a whole batch if it
 * has an invalid row. The loader then halves the batch until the invalid row is alone. Not thread-safe.
 */
final class BulkLoader {
    private static final long BATCH_BYTES_MAX = 16L << 20;
    private static final String ID = "id";

    private final ClusterClient cluster;
    private final TableMeta table;
    private final RowValidator check;
    private final Plan plan;
    private final FieldSplitter splits;
    private final BulkLoadReport report;
    private final Consumer<BulkLoadReport.Rejected> rejects;
    private final List<Row> batch = new ArrayList<>();
    private long batchBytes;

    /**
     * Parameters of a load.
     *
     * @param functions the update function for rows, followed by those for other commands of a file
     */
    record Plan(List<String> functions, AckLevel ack, int batchRows, long deadlineMs, long rejectsMax) {
        /** True if the command is skipped: optimize changes no answer, so a port or load without it continues. */
        boolean isSkipped(RowSource.Command asked) {
            return asked == RowSource.Command.OPTIMIZE && functions.stream().noneMatch(asked::isFunction);
        }

        /** Returns the effective command. If the table is partitioned by another field, a deletion by id does not determine the actor. */
        RowSource.Command command(RowSource.Command asked, TableMeta table) {
            boolean everywhere = asked == RowSource.Command.DELETE
                    && !table.keyField().equals(BroadcastUpdate.uniqueKey(table))
                    && functions.stream().anyMatch(RowSource.Command.DELETE_ID::isFunction);
            return everywhere ? RowSource.Command.DELETE_ID : asked;
        }

        /** Returns the update function for a command. Fails with INVALID_ARGUMENT if there is none. */
        String function(RowSource.Command asked, TableMeta table) {
            return asked == RowSource.Command.ADD
                    ? functions.get(0)
                    : functions.stream()
                            .filter(asked::isFunction)
                            .findFirst()
                            .orElseThrow(
                                    () -> UniserveException.invalid(
                                            "port " + table.port()
                                                    + " has no update function for the deletions or optimizations of the file; load a file with rows only, without --update"));
        }
    }

    /** Row with the actor of its key; the actor is undefined for rows that go to every actor. */
    private record Row(Document document, int actor, String file, long line) {}

    private RowSource.Command command = RowSource.Command.ADD;

    /** True if the rows of the batch go to all actors. */
    private boolean everywhere;

    private final boolean replaces;
    private boolean sent;

    BulkLoader(
            ClusterClient cluster,
            TableMeta table,
            Plan plan,
            FieldSplitter splits,
            BulkLoadReport report,
            Consumer<BulkLoadReport.Rejected> rejects) {
        this.cluster = cluster;
        this.table = table;
        this.check = new RowValidator(
                table,
                cluster.servers().stream()
                        .flatMap(server -> server.ports().stream())
                        .anyMatch(port -> port.name().equals(table.port()) && port.textKeys()));
        this.plan = plan;
        this.splits = splits;
        String rows = plan.functions().get(0);
        this.replaces = ReplacingUpdate.isReplacing(rows);
        for (RowSource.Command one : RowSource.Command.values()) {
            if (one.goesToAllActors() && one.isFunction(rows)) {
                throw UniserveException.invalid(
                        "update function " + rows
                                + " is for all actors, not for that of a row: load a file of such commands with --format json or xml");
            }
        }
        this.report = report;
        this.rejects = rejects;
    }

    /**
     * Loads all rows of a source; {@code progress} runs after every batch. Returns false if the load must end: too many rejected rows, or
     * rows that the cluster did not acknowledge.
     */
    boolean load(String file, RowSource source, Runnable progress) {
        while (mayContinue()) {
            Document document;
            try {
                var next = source.next();
                if (next.isEmpty()) {
                    flush();
                    progress.run();
                    return mayContinue();
                }
                document = splits.split(next.get());
                if (plan.isSkipped(source.command())) {
                    continue;
                }
                RowSource.Command asked = plan.command(source.command(), table);
                boolean forAll =
                        asked.goesToAllActors() || (isBroadcast(asked) && BroadcastUpdate.goesToAllActors(document));
                if (asked != command || forAll != everywhere) {
                    flush();
                    command = asked;
                    everywhere = forAll;
                }
                add(
                        file,
                        source.line(),
                        asked == RowSource.Command.DELETE_ID ? withIdField(document) : check.withTableKey(document));
            } catch (UniserveException e) {
                if (e.code() != ErrorCode.INVALID_ROW && e.code() != ErrorCode.TOO_LARGE) {
                    flush();
                    throw e;
                }
                reject(file, source.line(), e);
            }
            if (isFull() && !replaces) {
                flush();
                progress.run();
            }
        }
        return false;
    }

    private boolean isBroadcast(RowSource.Command asked) {
        return asked == RowSource.Command.ADD
                && BroadcastUpdate.isBroadcast(plan.functions().get(0));
    }

    /** Returns the row with the id as a field of its own: files have it as the key, but this table has another key. */
    private static Document withIdField(Document row) {
        Map<String, Object> fields = new LinkedHashMap<>(row.fields());
        fields.put(ID, fields.remove(row.keyField()));
        return new Document(row.keyField(), fields);
    }

    private boolean isFull() {
        return batch.size() >= plan.batchRows() || batchBytes >= BATCH_BYTES_MAX;
    }

    /** Rows of a replacing update fit in one, or nothing of them is sent. */
    private void checkReplaces() {
        if (replaces && (isFull() || sent)) {
            batch.clear();
            throw UniserveException.invalid(plan.functions().get(0)
                    + " replaces rows that it does not name, so each further update would delete rows of the one before:"
                    + " load one file with at most --batch rows (now " + plan.batchRows() + ") and " + BATCH_BYTES_MAX
                    + " bytes" + (sent ? "; the file before was loaded" : "; nothing was loaded"));
        }
    }

    private boolean mayContinue() {
        return report.failures().isEmpty() && report.rejectedRows() <= plan.rejectsMax();
    }

    private void add(String file, long line, Document document) {
        checkReplaces();
        int actor = command.goesToAllActors() ? 0 : check.actor(document);
        long bytes = RowValidator.bytes(document)
                * (everywhere ? Math.max(1, table.partitioner().actors()) : 1);
        batch.add(new Row(document, actor, file, line));
        batchBytes += bytes;
    }

    private void flush() {
        List<Row> rows = List.copyOf(batch);
        batch.clear();
        batchBytes = 0;
        if (!rows.isEmpty()) {
            sent = true;
            send(rows);
        }
    }

    private void send(List<Row> rows) {
        List<Document> documents = rows.stream().map(Row::document).toList();
        if (everywhere) {
            sendEverywhere(rows, documents);
            return;
        }
        String function = plan.function(command, table);
        UpdateOutcome result;
        try {
            result = cluster.update(table.name(), function, documents, plan.ack(), plan.deadlineMs());
        } catch (UniserveException e) {
            if (!isRowError(e.code())) {
                throw e;
            }
            failed(rows.get(0).actor(), rows, e); // nothing was sent: find the row
            return;
        }
        report.addRetried(result.retries());
        if (isAtomic() && !result.failed().isEmpty()) {
            // The update failed as a whole, by a row of any actor.
            Failure first = result.failed().get(0);
            failed(first.actor(), rows, toRowError(first.error()));
            return;
        }
        TreeSet<Integer> acked = new TreeSet<>();
        result.acked().forEach(ack -> acked.add(ack.actor()));
        countAcknowledged(
                (int) rows.stream().filter(row -> acked.contains(row.actor())).count());
        Map<Integer, List<Row>> byActor = new TreeMap<>();
        rows.forEach(row ->
                byActor.computeIfAbsent(row.actor(), actor -> new ArrayList<>()).add(row));
        for (Failure failure : result.failed()) {
            failed(failure.actor(), byActor.getOrDefault(failure.actor(), List.of()), failure.error());
        }
    }

    /** Returns the engine's own error. An atomic update is refused with UPDATE_REFUSED, whose message starts with the engine's code. */
    private static UniserveException toRowError(UniserveException refusal) {
        return Stream.of(ErrorCode.INVALID_ROW, ErrorCode.TOO_LARGE)
                .filter(code -> refusal.code() == ErrorCode.UPDATE_REFUSED
                        && refusal.reason().startsWith(code + " "))
                .findFirst()
                .map(code -> new UniserveException(
                        code, refusal.reason().substring(code.name().length() + 1), refusal))
                .orElse(refusal);
    }

    private boolean isAtomic() {
        return table.level() != ConsistencyLevel.EVENTUAL;
    }

    /** Sends rows to every actor. A row is loaded when every actor has acknowledged it. */
    private void sendEverywhere(List<Row> rows, List<Document> documents) {
        String function = plan.function(command, table);
        UpdateOutcome result =
                cluster.updateEverywhere(table.name(), function, documents, plan.ack(), plan.deadlineMs());
        report.addRetried(result.retries());
        if (result.failed().isEmpty()) {
            countAcknowledged(rows.size());
        } else {
            failed(result.failed().get(0).actor(), rows, result.failed().get(0).error());
        }
    }

    /** Counts acknowledged rows. Deletions and optimizations do not count as loaded rows. */
    private void countAcknowledged(int count) {
        boolean deletes = command != RowSource.Command.ADD
                || RowSource.Command.DELETE.isFunction(plan.functions().get(0));
        if (command == RowSource.Command.OPTIMIZE) {
            return;
        }
        if (deletes) {
            report.addDeleted(count);
        } else {
            report.addLoaded(count);
        }
    }

    private static boolean isRowError(ErrorCode code) {
        return code == ErrorCode.INVALID_ROW
                || code == ErrorCode.CONFLICT
                || code == ErrorCode.CHUNK_EXPIRED
                || code == ErrorCode.TOO_LARGE;
    }

    private void failed(int actor, List<Row> rows, UniserveException error) {
        boolean rowIsWrong = isRowError(error.code());
        if (rowIsWrong && rows.size() == 1) {
            reject(rows.get(0).file(), rows.get(0).line(), error);
        } else if (rowIsWrong && rows.size() > 1 && report.rejectedRows() <= plan.rejectsMax()) {
            send(rows.subList(0, rows.size() / 2));
            send(rows.subList(rows.size() / 2, rows.size()));
        } else if (!rows.isEmpty()) {
            Row first = rows.get(0);
            Row last = rows.get(rows.size() - 1);
            report.addFailure(
                    new BulkLoadReport.Failure(first.file(), actor, rows.size(), first.line(), last.line(), error));
        }
    }

    private void reject(String file, long line, UniserveException error) {
        BulkLoadReport.Rejected rejected = new BulkLoadReport.Rejected(file, line, error);
        report.addRejected(rejected);
        rejects.accept(rejected);
    }
}
