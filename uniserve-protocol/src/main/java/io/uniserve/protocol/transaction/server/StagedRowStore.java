package io.uniserve.protocol.transaction.server;

import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.BatchRows;
import io.uniserve.protocol.message.PeerRequest.Decide;
import io.uniserve.protocol.message.PeerRequest.Prepare;
import io.uniserve.protocol.message.client.StagedRowsRef;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateReply.ActorStaged;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.UpdateRequest.ActorRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Staged rows of large atomic updates at the primaries of their actors, in memory only. A later PREPARE names them by request and hash. The
 * rows may be lost with this server or for lack of memory; the client then sends them again. The hash is computed here, so different rows
 * are never confused. Rows of one request are kept or dropped together. Not thread-safe.
 */
final class StagedRowStore {
    private static final long IDLE_NANOS = Limits.STAGED_ROWS_IDLE_MS * 1_000_000;
    /** Overhead per actor's rows that counts as bytes too: even few bytes take memory and time. */
    static final long ENTRY_BYTES = 4_096;

    private final Clock clock;
    private final LongFunction<Set<Integer>> primaryActors;
    private final Map<Key, StagedRequest> groups = new LinkedHashMap<>();
    private long bytes;

    private record Key(long tableId, RequestId request) {}

    private record RowsKey(int actor, StagedRowsRef rows) {}

    private static final class StagedEntry {
        private final ActorRows rows;
        /** The newest version in which these rows were prepared. */
        private long version;

        private StagedEntry(ActorRows rows) {
            this.rows = rows;
        }

        private long bytes() {
            return rows.bytes() + ENTRY_BYTES;
        }
    }

    private static final class StagedRequest {
        private final Map<RowsKey, StagedEntry> rows = new LinkedHashMap<>();
        private long lastUsedNanos;

        private long bytes() {
            return rows.values().stream().mapToLong(StagedEntry::bytes).sum();
        }
    }

    /** @param led the actors of a table whose primary is on this server */
    StagedRowStore(Clock clock, LongFunction<Set<Integer>> led) {
        this.clock = clock;
        this.primaryActors = led;
    }

    /** Size of all rows, with {@link #ENTRY_BYTES} for each actor's. */
    long bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return groups.isEmpty();
    }

    /** Stores all rows, or none. If there is no room, all rows of the request are dropped, to leave room for others. */
    Outcome<UpdateReply> stage(UpdateRequest request) {
        Set<Integer> here = primaryActors.apply(request.tableId());
        for (ActorRows rows : request.actors()) {
            if (!here.contains(rows.actor())) {
                return error(ErrorCode.NOT_PRIMARY, "this server is not the primary of actor " + rows.actor());
            }
        }
        Key key = new Key(request.tableId(), request.request());
        StagedRequest group = groups.computeIfAbsent(key, k -> new StagedRequest());
        group.lastUsedNanos = clock.nanos();
        List<ActorStaged> told = new ArrayList<>();
        for (ActorRows rows : request.actors()) {
            RowsKey name =
                    new RowsKey(rows.actor(), new StagedRowsRef(rows.rows().size(), Sha256.hex(rows.rows())));
            told.add(new ActorStaged(rows.actor(), name.rows()));
            if (!group.rows.containsKey(name)) {
                StagedEntry kept = new StagedEntry(rows);
                group.rows.put(name, kept);
                bytes += kept.bytes();
            }
        }
        if (bytes > Limits.STAGED_ROWS_BYTES_MAX) {
            groups.remove(key);
            bytes -= group.bytes();
            return error(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "this server keeps " + bytes + " bytes of large updates, at most " + Limits.STAGED_ROWS_BYTES_MAX
                            + ": try again later");
        }
        return Outcome.ok(UpdateReply.of(told));
    }

    private static Outcome<UpdateReply> error(ErrorCode code, String message) {
        return Outcome.err(new UniserveException(code, message));
    }

    /** The PREPARE with its rows. If some of them are not here, it has no rows: it then only requests a vote on rows that came earlier. */
    Prepare fillPrepare(Prepare prepare) {
        if (prepare.batches().stream().allMatch(batch -> batch.staged() == null)) {
            return prepare;
        }
        List<BatchRows> filled = new ArrayList<>();
        for (BatchRows batch : prepare.batches()) {
            StagedRowsRef staged = batch.staged();
            if (staged == null) {
                filled.add(batch);
                continue;
            }
            ActorRows rows = findRows(prepare, batch.request(), staged);
            if (rows == null) {
                return prepare.withBatches(List.of());
            }
            filled.add(new BatchRows(batch.request(), batch.function(), rows.rows()));
        }
        return prepare.withBatches(filled);
    }

    private @Nullable ActorRows findRows(Prepare prepare, RequestId request, StagedRowsRef staged) {
        StagedRequest group = groups.get(new Key(prepare.key().tableId(), request));
        StagedEntry kept =
                group == null ? null : group.rows.get(new RowsKey(prepare.key().actor(), staged));
        if (group == null || kept == null) {
            return null;
        }
        group.lastUsedNanos = clock.nanos();
        kept.version = Math.max(kept.version, prepare.version());
        return kept.rows;
    }

    /** Drops the rows of a version that is committed. */
    void onDecision(Decide decide) {
        if (!decide.commit()) {
            return;
        }
        groups.entrySet().removeIf(entry -> {
            StagedRequest group = entry.getValue();
            if (entry.getKey().tableId() == decide.key().tableId()) {
                group.rows.entrySet().removeIf(rows -> {
                    StagedEntry kept = rows.getValue();
                    boolean done = rows.getKey().actor() == decide.key().actor() && kept.version == decide.version();
                    bytes -= done ? kept.bytes() : 0;
                    return done;
                });
            }
            return group.rows.isEmpty();
        });
    }

    /** Drops rows that were neither added to nor used for a long time. */
    void expire() {
        long now = clock.nanos();
        groups.values().removeIf(group -> {
            boolean idle = now - group.lastUsedNanos >= IDLE_NANOS;
            bytes -= idle ? group.bytes() : 0;
            return idle;
        });
    }
}
