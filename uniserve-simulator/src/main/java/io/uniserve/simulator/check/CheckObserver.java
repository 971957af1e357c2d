package io.uniserve.simulator.check;

import io.uniserve.codec.Bytes;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.simulator.disk.SimDiskMedium;
import io.uniserve.simulator.engine.EngineObserver;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import io.uniserve.simulator.kernel.SimProcess;
import io.uniserve.simulator.network.NetworkObserver;
import io.uniserve.simulator.registry.SimEnsemble;
import java.util.List;
import java.util.function.BiConsumer;

/** Observer of messages, engines, gates and registry, which passes events to the checks. */
public final class CheckObserver implements NetworkObserver, EngineObserver {
    private final EventQueue queue;
    private final EventTrace trace;
    private final ViolationCollector violations;
    private final LogCheck logs;
    private final FenceCheck fences;
    private final MapCheck maps;
    private final CommitCheck commits;
    private BiConsumer<String, ReplicaKey> readListener = (server, key) -> {};
    private BiConsumer<PeerRequest.Prepare, PeerReply.Vote> voteListener = (request, vote) -> {};

    public CheckObserver(EventQueue queue, EventTrace trace, ViolationCollector violations) {
        this.queue = queue;
        this.trace = trace;
        this.violations = violations;
        this.logs = new LogCheck(violations);
        this.fences = new FenceCheck(violations);
        this.maps = new MapCheck(violations);
        this.commits = new CommitCheck(violations, fences);
    }

    /** Removes entries that are already checked. */
    public void clearHistory() {
        logs.clearHistory();
    }

    /** Sets the consumer of answered reads, by server and replica. */
    public void setReadListener(BiConsumer<String, ReplicaKey> listener) {
        readListener = listener;
    }

    /** Adds a consumer of votes. */
    public void addVoteListener(BiConsumer<PeerRequest.Prepare, PeerReply.Vote> listener) {
        voteListener = voteListener.andThen(listener);
    }

    /** Registers the disk of a server. The disk survives restarts of the server. */
    public void disk(String server, SimDiskMedium simulatedDisk) {
        commits.disk(server, simulatedDisk);
    }

    /** Number of replicas' disks that were checked at commits. */
    public long checkedDisks() {
        return commits.checkedDisks();
    }

    /** The check of registry writes. */
    public SimEnsemble.Listener maps() {
        return (session, zxid, applied, changed) -> {
            if (!changed.isEmpty()) {
                trace.line("registry " + zxid + " by " + session + " " + changed);
            }
            maps.onCommitted(session, zxid, applied, changed);
            commits.committed(applied, queue.now());
        };
    }

    /** True for a check or a write of a coordinator's transaction on a table's map. */
    public static boolean coordinates(Op failing, List<Op> ops) {
        boolean map =
                ops.stream().anyMatch(op -> op instanceof Op.Set && op.path().endsWith("/map"));
        return map && (failing instanceof Op.Set || failing.path().equals(RegistryPaths.TERM));
    }

    @Override
    public void request(SimProcess from, SimProcess to, Object request) {
        trace.mix(3, from.name().hashCode() * 31L + to.name().hashCode());
        if (request instanceof PeerRequest.QuarantineCopy verdict) {
            violations.add("SOUND", "a sound copy is set aside: " + verdict);
        }
        if (request instanceof PeerRequest.Replicate replicate) {
            logs.replicated(replicate);
        }
    }

    @Override
    public void reply(SimProcess from, SimProcess to, Object request, Object reply) {
        trace.mix(4, from.name().hashCode() * 31L + to.name().hashCode());
        if (request instanceof UpdateRequest update
                && reply instanceof Outcome.Ok<?> ok
                && ok.value() instanceof UpdateReply answer) {
            answer.acks().forEach(ack -> acknowledged(to.name(), update, ack));
        }
        if (request instanceof PeerRequest.Prepare prepare
                && reply instanceof Outcome.Ok<?> ok
                && ok.value() instanceof PeerReply.Vote vote) {
            voteListener.accept(prepare, vote);
        }
    }

    private void acknowledged(String server, UpdateRequest update, ActorAck ack) {
        ReplicaKey key = new ReplicaKey(update.tableId(), ack.actor());
        if (!ack.duplicate()
                && ack.epoch() > 0) { // epoch 0 means an atomic update, whose transaction manager need not be a primary
            logs.acknowledged(key, ack.epoch(), server);
        }
        if (update.level() == AckLevel.ISR && ack.epoch() > 0) {
            fences.onUpdateAcked(server, key, ack.epoch(), ack.index(), queue.now());
        }
    }

    /** Handles a gate that a server publishes. */
    public void published(String server, ReplicaKey key, ReadGate gate) {
        trace.mix(5, gate.epoch() * 31 + gate.appliedIndex());
        fences.onGatePublished(server, key, gate);
        commits.published(server, key, gate);
    }

    @Override
    public void onApplied(String server, ReplicaKey key, long previousIndex, long index, Bytes rows) {
        trace.mix(6, index * 31 + key.actor());
    }

    @Override
    public void onAnswered(String server, ReplicaKey key, long epoch, long takenNanos) {
        fences.onReadAnswered(server, key, epoch, queue.now());
        readListener.accept(server, key);
    }
}
