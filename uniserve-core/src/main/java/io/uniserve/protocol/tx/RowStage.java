package io.uniserve.protocol.tx;

import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.BatchRows;
import io.uniserve.protocol.message.PeerRequest.Decide;
import io.uniserve.protocol.message.PeerRequest.Prepare;
import io.uniserve.protocol.message.StagedRows;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateReply.ActorStaged;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.message.UpdateRequest.ActorRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * Rows of large atomic updates that clients have brought to the primaries of their actors, for a PREPARE to come, which names them
 * by request and hash. Nothing of them is on disk or known to anybody else, so rows that are gone, with this server or for want of
 * room, only have the client bring them again. They are named by the hash that is computed here: rows of two contents are never
 * taken for each other. Not thread-safe.
 */
final class RowStage {
    private static final long IDLE_NANOS = Limits.STAGED_ROWS_IDLE_MS * 1_000_000;

    private final Clock clock;
    private final Predicate<ReplicaKey> leads;
    private final Map<Key, Kept> stage = new LinkedHashMap<>();
    private long bytes;

    private record Key(ReplicaKey actor, RequestId request, String sha256) {}

    private static final class Kept {
        private final ActorRows rows;
        private long touchedNanos;
        /** The newest that was prepared of them. */
        private long version;

        private Kept(ActorRows rows) {
            this.rows = rows;
        }
    }

    /** @param leads true for the actors whose primary is here */
    RowStage(Clock clock, Predicate<ReplicaKey> leads) {
        this.clock = clock;
        this.leads = leads;
    }

    /** Bytes of rows that are kept. */
    long bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return stage.isEmpty();
    }

    /** Keeps the rows, all or none. */
    Outcome<UpdateReply> keep(UpdateRequest request) {
        List<ActorStaged> told = new ArrayList<>();
        Map<Key, Kept> more = new LinkedHashMap<>();
        long added = 0;
        for (ActorRows rows : request.actors()) {
            ReplicaKey actor = new ReplicaKey(request.tableId(), rows.actor());
            if (!leads.test(actor)) {
                return error(ErrorCode.NOT_PRIMARY, "this server is not the primary of actor " + rows.actor());
            }
            StagedRows kept = new StagedRows(rows.rows().size(), Sha256.hex(rows.rows()));
            Key key = new Key(actor, request.request(), kept.sha256());
            told.add(new ActorStaged(rows.actor(), kept));
            if (!stage.containsKey(key)) {
                added += kept.bytes();
                more.put(key, new Kept(rows));
            } else {
                touch(key, 0);
            }
        }
        if (bytes + added > Limits.STAGED_ROWS_BYTES_MAX) {
            return error(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "this server keeps " + bytes + " bytes of large updates, at most " + Limits.STAGED_ROWS_BYTES_MAX
                            + ": try again later");
        }
        bytes += added;
        stage.putAll(more);
        more.keySet().forEach(key -> touch(key, 0));
        return Outcome.ok(UpdateReply.of(told));
    }

    private static Outcome<UpdateReply> error(ErrorCode code, String message) {
        return Outcome.err(new UniserveException(code, message));
    }

    private void touch(Key key, long version) {
        Kept kept = stage.get(key);
        if (kept != null) {
            kept.touchedNanos = clock.nanos();
            kept.version = Math.max(kept.version, version);
        }
    }

    /** The PREPARE with its rows; with none, which asks for a vote on what came before, where some of them are not here. */
    Prepare filled(Prepare prepare) {
        if (prepare.batches().stream().allMatch(batch -> batch.staged() == null)) {
            return prepare;
        }
        List<BatchRows> filled = new ArrayList<>();
        for (BatchRows batch : prepare.batches()) {
            StagedRows staged = batch.staged();
            if (staged == null) {
                filled.add(batch);
                continue;
            }
            Key key = new Key(prepare.key(), batch.request(), staged.sha256());
            Kept kept = stage.get(key);
            if (kept == null) {
                return prepare.with(List.of());
            }
            touch(key, prepare.version());
            filled.add(new BatchRows(batch.request(), batch.function(), kept.rows.rows()));
        }
        return prepare.with(filled);
    }

    /** Of a version that is committed nobody needs the rows any more. */
    void decided(Decide decide) {
        if (decide.commit() && !stage.isEmpty()) {
            drop((key, kept) -> key.actor().equals(decide.key()) && kept.version == decide.version());
        }
    }

    /** Lets go of what nobody has asked for for long. */
    void expire() {
        long now = clock.nanos();
        drop((key, kept) -> now - kept.touchedNanos >= IDLE_NANOS);
    }

    private void drop(BiPredicate<Key, Kept> which) {
        stage.entrySet().removeIf(entry -> {
            boolean gone = which.test(entry.getKey(), entry.getValue());
            bytes -= gone ? entry.getValue().rows.bytes() : 0;
            return gone;
        });
    }
}
