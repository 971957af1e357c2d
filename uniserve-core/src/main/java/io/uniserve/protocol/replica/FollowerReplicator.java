package io.uniserve.protocol.replica;

import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.EntryHash;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Replicated;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import java.util.List;

/**
 * The primary's view of one follower in one epoch. Finds where the logs agree (one request at a time, stepping back ever
 * wider), then streams batches, a few at a time.
 *
 * <pre>
 * PROBING   -> STREAMING  the follower has accepted the current request: the logs agree
 * STREAMING -> PROBING    a request failed, entries cannot be read, or either log was truncated
 * any       -> DIFFERS    the follower has other entries under the same indexes and epochs: it gets none before a decision
 * DIFFERS   -> PROBING    its log begins anew, or agrees beyond that index
 * any       -> CLOSED     the map no longer has the follower, or the epoch ends
 * </pre>
 */
final class FollowerReplicator {
    /** Messages on their way at a time. */
    static final int WINDOW = 4;
    /** Garbled messages in a row after which the hash itself is doubted: the follower's own is compared then. */
    private static final int GARBLED_MAX = 10;

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final long epoch;
    private final ReplicaLog log;
    private final Listener listener;
    final ServerId server;
    private long next;
    private long confirmed;
    private long applied;
    private long incarnation;
    private long agreed;
    private long differsAt;
    private long differsHash;
    private boolean fromDisk;
    private int garbled;
    private int inFlight;
    private int generation;
    private int stepsBack;
    private Phase phase = Phase.PROBING;
    private boolean loading;
    private boolean pollWanted = true;
    private long retryAt;
    private boolean waiting;

    private enum Phase {
        PROBING,
        STREAMING,
        DIFFERS,
        CLOSED
    }

    /** Hears the follower's progress. */
    interface Listener {
        void progressed(FollowerReplicator link);

        /** The server said that it has installed this epoch. */
        void installed(ServerId server, long epoch);

        long stableIndex();

        /** Index before the first entry that followers are given; a checkpoint in durable storage has what comes before. */
        long baseIndex();

        /** Last index that this server may be given. */
        long decidedIndex(ServerId server);

        /** Last index that this primary will not take back. */
        long keptIndex();

        /** Index at which copies that differ are compared; -1 for none. */
        long disputedIndex();

        /** A follower cannot begin from the checkpoint in durable storage. */
        void checkpointDamaged();

        void wantTicks();
    }

    FollowerReplicator(
            ReplicaContext host, ReplicaKey key, long epoch, ReplicaLog log, ServerId server, Listener listener) {
        this.host = host;
        this.key = key;
        this.epoch = epoch;
        this.log = log;
        this.server = server;
        this.listener = listener;
        this.next = listener.keptIndex() + 1;
    }

    /** Last index that the follower has on disk and that matches, confirmed in this epoch. */
    long match() {
        return Math.min(confirmed, log.durableIndex());
    }

    /** True when the follower is known to have another log under the same indexes and epochs. It is given nothing more. */
    boolean differs() {
        return phase == Phase.DIFFERS;
    }

    /** Index at which it was last found to differ. */
    long differsAt() {
        return differsAt;
    }

    /** Its running hash there. */
    long differsHash() {
        return differsHash;
    }

    /** True when its log was found equal at this index, or later. */
    boolean agrees(long index) {
        return agreed >= index || !differs() && match() >= index;
    }

    long applied() {
        return applied;
    }

    /**
     * True when the follower has answered the last time it was asked and has everything up to this index. One that was
     * certified and has lost its disk since does not: it would be counted on for what it no more has.
     */
    boolean confirms(long index) {
        return phase == Phase.STREAMING && match() >= index;
    }

    /** Incarnation of the follower's server that has confirmed what it has. */
    long incarnation() {
        return incarnation;
    }

    /** True while a pause must pass before the next request. */
    boolean wantsTicks() {
        return waiting;
    }

    /** Asks the follower where it stands even if there is nothing to send. */
    void poll() {
        pollWanted = true;
    }

    void close() {
        phase = Phase.CLOSED;
    }

    /** Sends what can be sent now. */
    void pump(long now) {
        if (phase == Phase.CLOSED || waiting && now - retryAt < 0) {
            return;
        }
        waiting = false;
        if (differs()) {
            compare(now);
            return;
        }
        if (next <= listener.baseIndex()) { // the log begins later by now
            restart(match() + 1);
        }
        boolean probing = phase == Phase.PROBING;
        while (!loading
                && inFlight < (probing ? 1 : WINDOW)
                && (worthSending() || inFlight == 0 && (probing || pollWanted))) {
            Address to = host.addressOf(server);
            if (to == null) {
                pause(now);
                return;
            }
            pollWanted = false;
            if (probing || next > listener.decidedIndex(server)) {
                send(to, List.of());
            } else if (!sendEntries(to)) {
                return;
            }
        }
    }

    /** Asks for the hash at the index in dispute. */
    private void compare(long now) {
        Address to = host.addressOf(server);
        if (to == null || listener.disputedIndex() < 0) {
            pause(now);
        } else if (inFlight == 0) {
            next = listener.disputedIndex() + 1;
            send(to, List.of());
        }
    }

    /** Nobody waits for a decision of an atomic update: it goes along with the entry that the engine is about to have. */
    private boolean worthSending() {
        long last = listener.decidedIndex(server);
        if (next != last || log.durableIndex() == last) {
            return next <= last;
        }
        List<LogEntry> entry = log.recent(next, next, 1, 1);
        return entry == null || entry.get(0).type() != LogEntry.Type.DECIDE;
    }

    private boolean sendEntries(Address to) {
        long last = listener.decidedIndex(server);
        int most = (int) Math.min(Limits.REPLICATE_ENTRIES_MAX, last - next + 1);
        boolean memory = !fromDisk || next > log.durableIndex();
        List<LogEntry> entries = memory ? log.recent(next, last, most, Limits.REPLICATE_BYTES_MAX) : null;
        if (entries != null) {
            send(to, entries);
            return true;
        }
        loading = true;
        int sent = generation;
        fromDisk = false;
        log.load(next, most, Limits.REPLICATE_BYTES_MAX, loaded -> {
            loading = false;
            if (phase == Phase.CLOSED || sent != generation) {
                pump(host.env().clock().nanos());
            } else if (loaded instanceof Outcome.Ok<List<LogEntry>> ok) {
                send(to, ok.value());
                pump(host.env().clock().nanos());
            } else {
                restart(match() + 1); // perhaps further on: see the base
                pause(host.env().clock().nanos());
            }
        });
        return false;
    }

    private void send(Address to, List<LogEntry> entries) {
        long previous = next - 1;
        Replicate request = new Replicate(
                key,
                epoch,
                host.self(),
                previous,
                log.epochAt(previous),
                entries,
                listener.stableIndex(),
                listener.baseIndex(),
                log.hashAt(previous),
                garbled < GARBLED_MAX ? log.hashAt(previous + entries.size()) : EntryHash.UNKNOWN);
        next += entries.size();
        inFlight++;
        int sent = generation;
        host.env().network().call(to, request, host.config().replicateTimeoutNanos(), reply -> {
            if (phase != Phase.CLOSED) {
                heard(sent, previous, reply);
            }
        });
    }

    private void heard(int sent, long previous, Outcome<PeerReply> reply) {
        long now = host.env().clock().nanos();
        boolean current = sent == generation;
        if (current) {
            inFlight--;
        }
        if (!(reply instanceof Outcome.Ok<PeerReply> ok) || !(ok.value() instanceof Replicated replicated)) {
            if (current) {
                restart(match() + 1);
                pause(now);
            }
            return;
        }
        listener.installed(server, replicated.epoch());
        switch (replicated.status()) {
            case OK -> accepted(replicated, previous, current);
            case MISMATCH -> {
                if (differs()) { // it has begun anew
                    phase = Phase.PROBING;
                }
                if (current) {
                    stepBack(replicated, previous);
                }
            }
            case DIFFERS -> {
                if (replicated.epoch() == epoch) {
                    differs(replicated.lastIndex(), replicated.hash(), now);
                }
            }
            case STALE_EPOCH, NOT_READY, CHECKPOINT_DAMAGED, GARBLED -> {
                if (replicated.status() == Replicated.Status.GARBLED) {
                    fromDisk = true;
                    garbled++;
                }
                if (replicated.status() == Replicated.Status.CHECKPOINT_DAMAGED && replicated.epoch() == epoch) {
                    listener.checkpointDamaged();
                }
                if (current) {
                    restart(match() + 1);
                    pause(now);
                }
            }
        }
        if (phase != Phase.CLOSED) {
            pump(now);
        }
    }

    private void accepted(Replicated replicated, long previous, boolean current) {
        if (replicated.epoch() != epoch) {
            return;
        }
        long now = host.env().clock().nanos();
        long durable = replicated.durableIndex();
        garbled = durable > confirmed ? 0 : garbled;
        agreed = Math.max(agreed, Math.min(previous, durable));
        if (differs()) {
            if (agreed < differsAt) {
                pause(now);
                listener.progressed(this);
                return;
            }
            phase = Phase.PROBING;
            restart(match() + 1);
        } else if (EntryHash.differ(replicated.hash(), log.hashAt(durable))) {
            differs(durable, replicated.hash(), now);
            return;
        }
        confirmed = Math.max(confirmed, Math.min(replicated.durableIndex(), log.lastIndex()));
        applied = Math.max(applied, replicated.appliedIndex());
        incarnation = replicated.incarnation();
        if (current && phase == Phase.PROBING) {
            phase = Phase.STREAMING;
            stepsBack = 0;
        }
        listener.progressed(this);
    }

    /** The follower has other entries, and is told nothing more until it is known which side is right. */
    private void differs(long index, long hash, long now) {
        if (phase == Phase.CLOSED || hash == EntryHash.UNKNOWN || log.hashAt(index) == hash) {
            return; // an old message's answer
        }
        phase = Phase.DIFFERS;
        differsAt = index;
        differsHash = hash;
        confirmed = Math.min(confirmed, index - 1);
        restart(match() + 1);
        pause(now);
        listener.progressed(this);
    }

    /** The follower does not have the entry before those sent, or another one in its place. */
    private void stepBack(Replicated replicated, long previous) {
        if (phase == Phase.PROBING && replicated.lastIndex() < confirmed) {
            // The only request under way, and it finds less than was confirmed: the follower has lost its files.
            confirmed = replicated.lastIndex();
            applied = Math.min(applied, confirmed);
        }
        long hint = Math.min(replicated.lastIndex() + 1, previous);
        long further = replicated.lastIndex() + 1 >= previous ? (1L << Math.min(stepsBack++, 40)) - 1 : 0;
        restart(Math.max(hint - further, Math.max(match(), listener.baseIndex()) + 1));
    }

    /** The end of the log is gone, of which this follower may have been given something. */
    void cutBack() {
        if (next > log.lastIndex() + 1) {
            confirmed = match();
            restart(confirmed + 1);
        }
    }

    private void restart(long from) {
        generation++;
        inFlight = 0;
        if (phase == Phase.STREAMING) {
            phase = Phase.PROBING;
        }
        next = Math.max(from, listener.baseIndex() + 1);
    }

    private void pause(long now) {
        waiting = true;
        retryAt = now + host.config().retryNanos();
        listener.wantTicks();
    }
}
