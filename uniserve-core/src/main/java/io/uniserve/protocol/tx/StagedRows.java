package io.uniserve.protocol.tx;

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
import io.uniserve.protocol.message.StagedRowsRef;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateReply.ActorStaged;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.message.UpdateRequest.ActorRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Rows of large atomic updates that clients have brought to the primaries of their actors, for a PREPARE to come, which names them
 * by request and hash. Nothing of them is on disk or known to anybody else, so rows that are gone, with this server or for want of
 * room, only have the client bring them again. They are named by the hash that is computed here: rows of two contents are never
 * taken for each other. Rows of one request stay or go together. Not thread-safe.
 */
final class StagedRows {
    private static final long IDLE_NANOS = Limits.STAGED_ROWS_IDLE_MS * 1_000_000;
    /** An actor's rows count so much besides: what has few bytes takes room and time too. */
    static final long ENTRY_BYTES = 4_096;

    private final Clock clock;
    private final LongFunction<Set<Integer>> led;
    private final Map<Key, Group> groups = new LinkedHashMap<>();
    private long bytes;

    private record Key(long tableId, RequestId request) {}

    private record Name(int actor, StagedRowsRef rows) {}

    private static final class Kept {
        private final ActorRows rows;
        /** The newest that was prepared of them. */
        private long version;

        private Kept(ActorRows rows) {
            this.rows = rows;
        }

        private long bytes() {
            return rows.bytes() + ENTRY_BYTES;
        }
    }

    private static final class Group {
        private final Map<Name, Kept> rows = new LinkedHashMap<>();
        private long touchedNanos;

        private long bytes() {
            return rows.values().stream().mapToLong(Kept::bytes).sum();
        }
    }

    /** @param led the actors of a table whose primary is here */
    StagedRows(Clock clock, LongFunction<Set<Integer>> led) {
        this.clock = clock;
        this.led = led;
    }

    /** What the rows that are kept count. */
    long bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return groups.isEmpty();
    }

    /** Keeps the rows, all or none; for want of room nothing of the request stays, so that another one is not in its way. */
    Outcome<UpdateReply> keep(UpdateRequest request) {
        Set<Integer> here = led.apply(request.tableId());
        for (ActorRows rows : request.actors()) {
            if (!here.contains(rows.actor())) {
                return error(ErrorCode.NOT_PRIMARY, "this server is not the primary of actor " + rows.actor());
            }
        }
        Key key = new Key(request.tableId(), request.request());
        Group group = groups.computeIfAbsent(key, k -> new Group());
        group.touchedNanos = clock.nanos();
        List<ActorStaged> told = new ArrayList<>();
        for (ActorRows rows : request.actors()) {
            Name name = new Name(rows.actor(), new StagedRowsRef(rows.rows().size(), Sha256.hex(rows.rows())));
            told.add(new ActorStaged(rows.actor(), name.rows()));
            if (!group.rows.containsKey(name)) {
                Kept kept = new Kept(rows);
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

    /** The PREPARE with its rows; with none, which asks for a vote on what came before, where some of them are not here. */
    Prepare filled(Prepare prepare) {
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
            ActorRows rows = prepared(prepare, batch.request(), staged);
            if (rows == null) {
                return prepare.with(List.of());
            }
            filled.add(new BatchRows(batch.request(), batch.function(), rows.rows()));
        }
        return prepare.with(filled);
    }

    private @Nullable ActorRows prepared(Prepare prepare, RequestId request, StagedRowsRef staged) {
        Group group = groups.get(new Key(prepare.key().tableId(), request));
        Kept kept = group == null ? null : group.rows.get(new Name(prepare.key().actor(), staged));
        if (group == null || kept == null) {
            return null;
        }
        group.touchedNanos = clock.nanos();
        kept.version = Math.max(kept.version, prepare.version());
        return kept.rows;
    }

    /** Of a version that is committed nobody needs the rows any more. */
    void decided(Decide decide) {
        if (!decide.commit()) {
            return;
        }
        groups.entrySet().removeIf(entry -> {
            Group group = entry.getValue();
            if (entry.getKey().tableId() == decide.key().tableId()) {
                group.rows.entrySet().removeIf(rows -> {
                    Kept kept = rows.getValue();
                    boolean done = rows.getKey().actor() == decide.key().actor() && kept.version == decide.version();
                    bytes -= done ? kept.bytes() : 0;
                    return done;
                });
            }
            return group.rows.isEmpty();
        });
    }

    /** Lets go of what nobody has added to or asked for for long. */
    void expire() {
        long now = clock.nanos();
        groups.values().removeIf(group -> {
            boolean idle = now - group.touchedNanos >= IDLE_NANOS;
            bytes -= idle ? group.bytes() : 0;
            return idle;
        });
    }
}
