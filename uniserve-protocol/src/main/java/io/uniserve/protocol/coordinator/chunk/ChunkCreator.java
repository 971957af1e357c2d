package io.uniserve.protocol.coordinator.chunk;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.coordinator.failover.TableReconciler;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.coordinator.table.RetryBudget;
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
 */
final class ChunkCreator {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkCreator.class);

    private final LeaderContext leader;
    private final TableReconciler tables;
    private final ChunkPlacement placement;
    private final AdminRequest.CreateChunks request;
    private final PendingAdminReply reply;
    private final RetryBudget retries;

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
                write(table, time, absent);
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

    private void write(Table table, Partitioner.Time time, TreeSet<Integer> absent) {
        TableMap map = table.map();
        long count = map.actors().size() + (long) absent.size() * time.buckets();
        if (count > Limits.TIME_ACTORS_PER_TABLE_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "table " + request.name() + " would have " + count + " actors, at most "
                            + Limits.TIME_ACTORS_PER_TABLE_MAX
                            + " are allowed: use a longer chunk, fewer buckets, or a shorter retention");
        }
        List<ActorState> actors = new ArrayList<>();
        for (int ordinal : absent) {
            int number = time.firstActor(ordinal);
            for (List<ServerId> servers : placement.place(leader, table, ordinal, table.meta.rf())) {
                actors.add(new ActorState(
                        number++, 1, servers.get(0), servers, List.of(), List.of(), servers, Map.of(), 0));
            }
        }
        LOG.info(
                "table {}: making {} chunks, the first starts {}",
                request.name(),
                absent.size(),
                time.chunks().startText(absent.first()));
        tables.write(table, map.withChunks(actors), List.of(), () -> {
            if (table.stale) {
                retries.retry(this::step); // not applied, or unknown: the map is read again first
            } else {
                step();
            }
        });
    }
}
