package io.uniserve.protocol.coordinator.chunk;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.InFlight;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.failover.TableReconciler;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.coordinator.table.RetryBudget;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Procedure that makes the actors of chunks. All absent chunks of a request are one write of the map. All replicas start empty, so all of
 * them are in sync from the first epoch, as for a new table. A chunk before the map's {@code expiredBefore} is never made again.
 *
 * <p>In an atomic table the write also checks the transaction log, and each new actor has a first version: the one in flight, or else the
 * next one. So all versions that were decided before the chunk existed are refused by its actors.
 */
final class ChunkCreator {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkCreator.class);

    /** Number of writes in a row that may fail because updates change the transaction log, before a pause. */
    private static final int LOG_RACES_IN_A_ROW = 8;

    private final LeaderContext leader;
    private final TableReconciler tables;
    private final ChunkPlacement placement;
    private final AdminRequest.CreateChunks request;
    private final PendingAdminReply reply;
    private final RetryBudget retries;
    private int logRaces;

    ChunkCreator(
            LeaderContext leader,
            TableReconciler tables,
            ChunkPlacement placement,
            AdminRequest.CreateChunks request,
            PendingAdminReply reply) {
        this.leader = leader;
        this.tables = tables;
        this.placement = placement;
        this.request = request;
        this.reply = reply;
        this.retries = new RetryBudget(
                leader,
                reply,
                "the registry did not confirm new chunks of table " + request.name() + ": send the rows again");
    }

    void start() {
        if (request.ordinals().isEmpty() || request.ordinals().size() > Limits.CHUNKS_PER_REQUEST_MAX) {
            throw UniserveException.invalid(
                    "chunks has " + request.ordinals().size() + " entries: use 1 to " + Limits.CHUNKS_PER_REQUEST_MAX);
        }
        step();
    }

    private void step() {
        if (!reply.isOpen()) {
            return;
        }
        try {
            Table table = leader.catalog().requireTable(request.tableId(), request.name());
            if (!(table.meta.partitioner() instanceof Partitioner.Time time)) {
                throw UniserveException.invalid(
                        "table " + request.name() + " is not partitioned by time, so it has no chunks");
            }
            if (table.writePending || table.stale) {
                retries.retry(this::step);
                return;
            }
            TreeSet<Integer> absent = absentChunks(table, time);
            if (absent.isEmpty()) {
                reply.ok(new AdminReply.Tables(List.of(table.route())));
            } else {
                checkTimes(time, absent);
                checkCount(table, time, absent);
                if (table.meta.level().atomic()) {
                    readLog(table);
                } else {
                    tables.write(table, nextMap(table, time, absent, 0), List.of(), () -> onWritten(table));
                }
            }
        } catch (UniserveException refused) {
            reply.fail(refused);
        }
    }

    private TreeSet<Integer> absentChunks(Table table, Partitioner.Time time) {
        TreeSet<Integer> absent = new TreeSet<>();
        for (int ordinal : request.ordinals()) {
            if (ordinal < 0 || ordinal >= time.chunks().chunks()) {
                throw UniserveException.invalid("chunk " + ordinal + ": the years 0 to 9999 have the chunks 0 to "
                        + (time.chunks().chunks() - 1));
            }
            if (ordinal < table.map().expiredBefore()) {
                throw time.expired(ordinal);
            }
            if (!table.hasActor(time.firstActor(ordinal))) {
                absent.add(ordinal);
            }
        }
        return absent;
    }

    private void checkTimes(Partitioner.Time time, TreeSet<Integer> absent) {
        long now = leader.env().clock().wallMillis();
        for (int ordinal : absent) {
            if (time.isExpired(ordinal, now)) {
                throw time.expired(ordinal);
            }
            time.checkAhead(time.chunks().start(ordinal), now);
        }
    }

    private void checkCount(Table table, Partitioner.Time time, TreeSet<Integer> absent) {
        long count = table.map().actors().size() + (long) absent.size() * time.buckets();
        int max = table.meta.onLoss() == OnLoss.RESTORE_TABLE
                ? Limits.RESTORE_TABLE_ACTORS_MAX
                : Limits.TIME_ACTORS_PER_TABLE_MAX;
        if (count > max) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "table " + request.name() + " would have " + count + " actors, at most " + max
                            + " are allowed: use a longer chunk, fewer buckets, or a shorter retention");
        }
    }

    private TableMap nextMap(Table table, Partitioner.Time time, TreeSet<Integer> absent, long firstVersion) {
        List<ActorState> actors = new ArrayList<>();
        for (int ordinal : absent) {
            int number = time.firstActor(ordinal);
            for (List<ServerId> servers : placement.place(leader, table, ordinal, table.meta.rf())) {
                ActorState actor = new ActorState(
                        number++, 1, servers.get(0), servers, List.of(), List.of(), servers, Map.of(), 0);
                actors.add(firstVersion == 0 ? actor : actor.withFirstVersion(firstVersion));
            }
        }
        LOG.info(
                "table {}: making {} chunks, the first starts {}",
                request.name(),
                absent.size(),
                time.chunks().startText(absent.first()));
        return table.map().withChunks(actors);
    }

    /** Reads the transaction log of an atomic table. The new actors refuse all versions that are decided in it. */
    private void readLog(Table table) {
        String path = RegistryPaths.log(table.meta.name(), table.meta.tableId());
        leader.registry().read(path, read -> {
            if (read instanceof Outcome.Ok<Versioned> ok && ok.value().value() instanceof TransactionLogState log) {
                writeWithLog(log, new Op.Check(path, ok.value().version()));
            } else {
                retries.retry(this::step);
            }
        });
    }

    /** Writes the chunks that are still absent, while the transaction log is as it was read. */
    private void writeWithLog(TransactionLogState log, Op.Check unchanged) {
        if (!reply.isOpen()) {
            return;
        }
        try {
            Table table = leader.catalog().requireTable(request.tableId(), request.name());
            if (table.writePending
                    || table.stale
                    || log.tableId() != table.meta.tableId()
                    || !(table.meta.partitioner() instanceof Partitioner.Time time)) {
                retries.retry(this::step);
                return;
            }
            TreeSet<Integer> absent = absentChunks(table, time);
            if (absent.isEmpty()) {
                step();
                return;
            }
            InFlight flight = log.inFlight();
            long first = flight == null ? log.nextVersion() : flight.version();
            tables.writeIfUnchanged(table, nextMap(table, time, absent, first), unchanged, logChanged -> {
                if (!logChanged) {
                    onWritten(table);
                } else if (++logRaces % LOG_RACES_IN_A_ROW != 0) {
                    step();
                } else {
                    retries.retry(this::step);
                }
            });
        } catch (UniserveException refused) {
            reply.fail(refused);
        }
    }

    private void onWritten(Table table) {
        if (table.stale) {
            retries.retry(this::step); // not applied, or unknown: the map is read again first
        } else {
            step();
        }
    }
}
