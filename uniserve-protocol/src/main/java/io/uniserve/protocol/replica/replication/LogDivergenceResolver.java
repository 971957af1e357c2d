package io.uniserve.protocol.replica.replication;

import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.log.RunningLogHash;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.replica.context.ReplicaContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The primary's decision about logs that differ at equal indexes and epochs. It compares the hashes of all copies at the lowest index that
 * is known to differ. The hash of the majority of the in-sync replicas is right. Of two replicas, the primary's hash is right, because it
 * has acknowledged its entries. Copies with another hash are set aside and rebuilt. A primary with another hash steps aside for a follower.
 * Without a majority the actor rejects updates and reads.
 */
public final class LogDivergenceResolver {
    private static final Logger LOG = LoggerFactory.getLogger(LogDivergenceResolver.class);

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final long epoch;
    private final ReplicaLog log;
    private final Owner owner;
    private final TreeSet<ServerId> notifiedServers = new TreeSet<>();
    private long index = -1;
    private boolean unresolved;
    private boolean withoutMajority;
    private long nextSendNanos;

    /** The primary that owns the dispute. */
    public interface Owner {
        /** The majority has another log than this primary: its copy must be set aside, and another replica must become primary. */
        void onOwnLogWrong(String reason);
    }

    public LogDivergenceResolver(ReplicaContext host, ReplicaKey key, long epoch, ReplicaLog log, Owner owner) {
        this.host = host;
        this.key = key;
        this.epoch = epoch;
        this.log = log;
        this.owner = owner;
        this.nextSendNanos = host.env().clock().nanos();
    }

    /** Index at which the copies are compared; -1 for none. */
    public long index() {
        return index;
    }

    /** True while the primary's log may be the wrong one. */
    public boolean isUnresolved() {
        return unresolved;
    }

    /** Reason for the rejection of updates. */
    public String reason() {
        return withoutMajority
                ? "the copies of " + key + " have different logs at index " + index
                        + " and none has a majority: stop the servers with wrong copies"
                : "copies of " + key + " have different logs at index " + index + ", still being compared: retry later";
    }

    /** Evaluates the dispute after a follower's reply or after some time. Returns true if the rules for readers have changed. */
    public boolean evaluate(ActorState state, Collection<FollowerLogSender> links, long now) {
        boolean before = unresolved;
        long lowest = -1;
        for (FollowerLogSender link : links) {
            if (link.hasDiverged() && (lowest < 0 || link.divergedIndex() < lowest)) {
                lowest = link.divergedIndex();
            }
        }
        if (lowest < 0 && index < 0) {
            return false;
        }
        index = lowest;
        if (index < 0) {
            unresolved = false;
            withoutMajority = false;
            notifiedServers.clear();
        } else {
            decide(state, links, now);
        }
        return unresolved != before;
    }

    private void decide(ActorState state, Collection<FollowerLogSender> links, long now) {
        long voters = state.isr().size();
        long same = 1;
        long silent = 0;
        TreeMap<Long, Integer> others = new TreeMap<>();
        for (FollowerLogSender link : links) {
            if (!state.isr().contains(link.server)) {
                continue;
            }
            if (link.hasDiverged() && link.divergedIndex() == index) {
                others.merge(link.divergedHash(), 1, Integer::sum);
            } else if (link.agreesAt(index)) {
                same++;
            } else {
                silent++;
            }
        }
        boolean wrong = others.values().stream().anyMatch(count -> 2L * count > voters);
        boolean right = 2 * same > voters || voters <= 2;
        unresolved = !right;
        withoutMajority = !right && !wrong && silent == 0;
        if (right) {
            quarantineWrongCopies(links, now);
        } else if (wrong) {
            reportOwnLogWrong();
        } else if (withoutMajority && notifiedServers.add(host.self())) {
            LOG.error("{}: {}", key, reason());
        }
    }

    private void quarantineWrongCopies(Collection<FollowerLogSender> links, long now) {
        if (now - nextSendNanos < 0) {
            return;
        }
        List<FollowerLogSender> wrong = new ArrayList<>();
        links.stream()
                .filter(link -> link.hasDiverged() && link.divergedIndex() == index)
                .forEach(wrong::add);
        if (wrong.isEmpty()) {
            return;
        }
        nextSendNanos = now + host.config().retryNanos();
        for (FollowerLogSender link : wrong) {
            String reason = "log differs at index " + index + " of epoch " + log.epochAt(index) + ": running hash "
                    + RunningLogHash.text(link.divergedHash()) + " on " + link.server + ", "
                    + RunningLogHash.text(log.hashAt(index)) + " on the primary " + host.self();
            if (notifiedServers.add(link.server)) {
                LOG.error("{}: {}; the copy on {} is set aside and will be rebuilt", key, reason, link.server);
            }
            sendQuarantine(host, new PeerRequest.QuarantineCopy(key, epoch, host.self(), link.server, reason));
        }
    }

    /** Sends the verdict. If the message is lost, the copy is found to differ again. */
    static void sendQuarantine(ReplicaContext host, PeerRequest.QuarantineCopy verdict) {
        Address to = host.addressOf(verdict.server());
        if (to != null) {
            host.env().network().call(to, verdict, host.config().replicateTimeoutNanos(), reply -> {
                if (reply instanceof Outcome.Err<?> err) {
                    LOG.warn(
                            "{}: request to {} to set its copy aside failed: {}",
                            verdict.key(),
                            verdict.server(),
                            err.error().getMessage());
                }
            });
        }
    }

    private void reportOwnLogWrong() {
        if (notifiedServers.add(host.self())) {
            String reason = "log differs at index " + index + " from most in-sync copies: running hash here "
                    + RunningLogHash.text(log.hashAt(index));
            LOG.error("{}: {}; this primary steps aside, its copy is set aside and will be rebuilt", key, reason);
            owner.onOwnLogWrong(reason);
        }
    }
}
