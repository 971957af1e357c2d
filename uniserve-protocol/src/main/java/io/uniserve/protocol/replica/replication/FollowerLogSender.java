package io.uniserve.protocol.replica.replication;

import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.log.RunningLogHash;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Replicated;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import io.uniserve.protocol.replica.context.ReplicaContext;
import java.util.List;

/**
 * Primary side of the replication to one follower in one epoch. It first finds the last common entry, with one request at a time and
 * backward steps that double. It then streams batches, a few at a time.
 */
public final class FollowerLogSender {
    /** Maximum number of concurrent messages. */
    public static final int WINDOW = 4;
    /** Consecutive garbled messages after which the sent hash itself is suspect. The follower's own hash is then compared. */
    private static final int GARBLED_MAX = 10;

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final long epoch;
    private final ReplicaLog log;
    private final Listener listener;
    final ServerId server;
    private long nextIndex;
    private long confirmedIndex;
    private long applied;
    private long incarnation;
    private long agreedIndex;
    private long divergedIndex;
    private long divergedHash;
    private boolean fromDisk;
    private int garbled;
    private int inFlight;
    private int generation;
    private int stepsBack;
    private Phase phase = Phase.PROBING;
    private boolean loading;
    private boolean pollWanted = true;
    private long retryAt;
    private boolean paused;

    private enum Phase {
        PROBING,
        STREAMING,
        DIFFERS,
        CLOSED
    }

    /** Receiver of the follower's progress. */
    public interface Listener {
        void onProgress(FollowerLogSender link);

        /** The server has confirmed that it installed this epoch. */
        void onEpochInstalled(ServerId server, long epoch);

        long highWatermark();

        /** Index before the first entry that is sent to followers; a checkpoint in durable storage has the entries before it. */
        long baseIndex();

        /** Last index that may be sent to this server. */
        long lastSendableIndex(ServerId server);

        /** Last index that this primary will not truncate. */
        long truncationFloor();

        /** Index at which differing copies are compared; -1 for none. */
        long disputedIndex();

        /** A follower cannot restart from the checkpoint in durable storage. */
        void onCheckpointDamaged();

        void wantTicks();
    }

    public FollowerLogSender(
            ReplicaContext host, ReplicaKey key, long epoch, ReplicaLog log, ServerId server, Listener listener) {
        this.host = host;
        this.key = key;
        this.epoch = epoch;
        this.log = log;
        this.server = server;
        this.listener = listener;
        this.nextIndex = listener.truncationFloor() + 1;
    }

    /** Last index that the follower has on disk and that matches, confirmed in this epoch. */
    public long matchIndex() {
        return Math.min(confirmedIndex, log.durableIndex());
    }

    /** True when the follower's log is known to differ at equal indexes and epochs. It gets no more entries. */
    boolean hasDiverged() {
        return phase == Phase.DIFFERS;
    }

    /** Index at which the follower was last found to differ. */
    long divergedIndex() {
        return divergedIndex;
    }

    /** The follower's running hash at that index. */
    long divergedHash() {
        return divergedHash;
    }

    /** True when the follower's log was found equal at this index or later. */
    boolean agreesAt(long index) {
        return agreedIndex >= index || !hasDiverged() && matchIndex() >= index;
    }

    public long appliedIndex() {
        return applied;
    }

    /**
     * True when the follower answered its last request and has everything up to this index. A certified follower that has lost its disk
     * does not confirm, and must not count.
     */
    public boolean hasConfirmed(long index) {
        return phase == Phase.STREAMING && matchIndex() >= index;
    }

    /** Incarnation of the follower's server, as of its last confirmation. */
    public long incarnation() {
        return incarnation;
    }

    /** True during the pause before the next request. */
    public boolean wantsTicks() {
        return paused;
    }

    /** Requests the follower's state even if there is nothing to send. */
    public void requestState() {
        pollWanted = true;
    }

    public void close() {
        phase = Phase.CLOSED;
    }

    /** Sends as many messages as possible now. */
    public void sendNext(long now) {
        if (phase == Phase.CLOSED || paused && now - retryAt < 0) {
            return;
        }
        paused = false;
        if (hasDiverged()) {
            requestHash(now);
            return;
        }
        if (nextIndex <= listener.baseIndex()) { // the log start offset has advanced
            restart(matchIndex() + 1);
        }
        boolean probing = phase == Phase.PROBING;
        while (!loading
                && inFlight < (probing ? 1 : WINDOW)
                && (hasEntriesToSend() || inFlight == 0 && (probing || pollWanted))) {
            Address to = host.addressOf(server);
            if (to == null) {
                pause(now);
                return;
            }
            pollWanted = false;
            if (probing || nextIndex > listener.lastSendableIndex(server)) {
                send(to, List.of());
            } else if (!sendEntries(to)) {
                return;
            }
        }
    }

    /** Requests the follower's hash at the index in dispute. */
    private void requestHash(long now) {
        Address to = host.addressOf(server);
        if (to == null || listener.disputedIndex() < 0) {
            pause(now);
        } else if (inFlight == 0) {
            nextIndex = listener.disputedIndex() + 1;
            send(to, List.of());
        }
    }

    /**
     * False for a DECIDE at the end of the log that is not durable yet: no client waits for it, so it is sent together with the next entry.
     */
    private boolean hasEntriesToSend() {
        long last = listener.lastSendableIndex(server);
        if (nextIndex != last || log.durableIndex() == last) {
            return nextIndex <= last;
        }
        List<LogEntry> entry = log.recent(nextIndex, nextIndex, 1, 1);
        return entry == null || entry.get(0).type() != LogEntry.Type.DECIDE;
    }

    private boolean sendEntries(Address to) {
        long last = listener.lastSendableIndex(server);
        int most = (int) Math.min(Limits.REPLICATE_ENTRIES_MAX, last - nextIndex + 1);
        boolean memory = !fromDisk || nextIndex > log.durableIndex();
        List<LogEntry> entries = memory ? log.recent(nextIndex, last, most, Limits.REPLICATE_BYTES_MAX) : null;
        if (entries != null) {
            send(to, entries);
            return true;
        }
        loading = true;
        int sent = generation;
        fromDisk = false;
        log.load(nextIndex, most, Limits.REPLICATE_BYTES_MAX, loaded -> {
            loading = false;
            if (phase == Phase.CLOSED || sent != generation) {
                sendNext(host.env().clock().nanos());
            } else if (loaded instanceof Outcome.Ok<List<LogEntry>> ok) {
                send(to, ok.value());
                sendNext(host.env().clock().nanos());
            } else {
                restart(matchIndex() + 1); // the start of the log may have advanced
                pause(host.env().clock().nanos());
            }
        });
        return false;
    }

    private void send(Address to, List<LogEntry> entries) {
        long previous = nextIndex - 1;
        Replicate request = new Replicate(
                key,
                epoch,
                host.self(),
                previous,
                log.epochAt(previous),
                entries,
                listener.highWatermark(),
                listener.baseIndex(),
                log.hashAt(previous),
                garbled < GARBLED_MAX ? log.hashAt(previous + entries.size()) : RunningLogHash.UNKNOWN);
        nextIndex += entries.size();
        inFlight++;
        int sent = generation;
        host.env().network().call(to, request, host.config().replicateTimeoutNanos(), reply -> {
            if (phase != Phase.CLOSED) {
                onReply(sent, previous, reply);
            }
        });
    }

    private void onReply(int sent, long previous, Outcome<PeerReply> reply) {
        long now = host.env().clock().nanos();
        boolean current = sent == generation;
        if (current) {
            inFlight--;
        }
        if (!(reply instanceof Outcome.Ok<PeerReply> ok) || !(ok.value() instanceof Replicated replicated)) {
            if (current) {
                restart(matchIndex() + 1);
                pause(now);
            }
            return;
        }
        listener.onEpochInstalled(server, replicated.epoch());
        switch (replicated.status()) {
            case OK -> onAccepted(replicated, previous, current);
            case MISMATCH -> {
                if (hasDiverged()) { // the follower has restarted
                    phase = Phase.PROBING;
                }
                if (current) {
                    stepBack(replicated, previous);
                }
            }
            case DIFFERS -> {
                if (replicated.epoch() == epoch) {
                    onDiverged(replicated.lastIndex(), replicated.hash(), now);
                }
            }
            case STALE_EPOCH, NOT_READY, CHECKPOINT_DAMAGED, GARBLED -> {
                if (replicated.status() == Replicated.Status.GARBLED) {
                    fromDisk = true;
                    garbled++;
                }
                if (replicated.status() == Replicated.Status.CHECKPOINT_DAMAGED && replicated.epoch() == epoch) {
                    listener.onCheckpointDamaged();
                }
                if (current) {
                    restart(matchIndex() + 1);
                    pause(now);
                }
            }
        }
        if (phase != Phase.CLOSED) {
            sendNext(now);
        }
    }

    private void onAccepted(Replicated replicated, long previous, boolean current) {
        if (replicated.epoch() != epoch) {
            return;
        }
        long now = host.env().clock().nanos();
        long durable = replicated.durableIndex();
        garbled = durable > confirmedIndex ? 0 : garbled;
        agreedIndex = Math.max(agreedIndex, Math.min(previous, durable));
        if (hasDiverged()) {
            if (agreedIndex < divergedIndex) {
                pause(now);
                listener.onProgress(this);
                return;
            }
            phase = Phase.PROBING;
            restart(matchIndex() + 1);
        } else if (RunningLogHash.areDifferent(replicated.hash(), log.hashAt(durable))) {
            onDiverged(durable, replicated.hash(), now);
            return;
        }
        confirmedIndex = Math.max(confirmedIndex, Math.min(replicated.durableIndex(), log.lastIndex()));
        applied = Math.max(applied, replicated.appliedIndex());
        incarnation = replicated.incarnation();
        if (current && phase == Phase.PROBING) {
            phase = Phase.STREAMING;
            stepsBack = 0;
        }
        listener.onProgress(this);
    }

    /** Handles a follower with other entries. It gets no more entries until the primary has decided which side is right. */
    private void onDiverged(long index, long hash, long now) {
        if (phase == Phase.CLOSED || hash == RunningLogHash.UNKNOWN || log.hashAt(index) == hash) {
            return; // the reply to an old message
        }
        phase = Phase.DIFFERS;
        divergedIndex = index;
        divergedHash = hash;
        confirmedIndex = Math.min(confirmedIndex, index - 1);
        restart(matchIndex() + 1);
        pause(now);
        listener.onProgress(this);
    }

    /** Steps back, because the follower lacks the entry before the sent ones or has another one there. */
    private void stepBack(Replicated replicated, long previous) {
        if (phase == Phase.PROBING && replicated.lastIndex() < confirmedIndex) {
            // this is the only request under way, and the follower has less than it confirmed: it has lost its files
            confirmedIndex = replicated.lastIndex();
            applied = Math.min(applied, confirmedIndex);
        }
        long hint = Math.min(replicated.lastIndex() + 1, previous);
        long further = replicated.lastIndex() + 1 >= previous ? (1L << Math.min(stepsBack++, 40)) - 1 : 0;
        restart(Math.max(hint - further, Math.max(matchIndex(), listener.baseIndex()) + 1));
    }

    /** Steps back after the end of the log was truncated, which this follower may have received. */
    public void onLogTruncated() {
        if (nextIndex > log.lastIndex() + 1) {
            confirmedIndex = matchIndex();
            restart(confirmedIndex + 1);
        }
    }

    private void restart(long from) {
        generation++;
        inFlight = 0;
        if (phase == Phase.STREAMING) {
            phase = Phase.PROBING;
        }
        nextIndex = Math.max(from, listener.baseIndex() + 1);
    }

    private void pause(long now) {
        paused = true;
        retryAt = now + host.config().retryNanos();
        listener.wantTicks();
    }
}
