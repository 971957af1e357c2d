package io.uniserve.protocol.server;

import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.server.config.ServerConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Failure detector of a server. It pings the next servers by id, so that each server is pinged by several others, and reports servers that
 * do not answer.
 */
final class ServerFailureDetector {
    private static final int FAILED_PINGS_MIN = 3;

    private final Environment env;
    private final ServerConfig config;
    private final ClusterMembers members;
    private final java.util.function.Consumer<PeerRequest> coordinator;
    private final TreeMap<ServerId, Integer> failed = new TreeMap<>();

    ServerFailureDetector(
            Environment env,
            ServerConfig config,
            ClusterMembers members,
            java.util.function.Consumer<PeerRequest> coordinator) {
        this.env = env;
        this.config = config;
        this.members = members;
        this.coordinator = coordinator;
    }

    /** Runs one round of pings. */
    void ping() {
        List<ServerRecord> targets = targets();
        failed.keySet().removeIf(id -> targets.stream().noneMatch(t -> t.id().equals(id)));
        for (ServerRecord target : targets) {
            PeerRequest request = new PeerRequest.Ping(config.id(), target.id());
            env.network().call(target.address(), request, config.pingNanos(), reply -> onReply(target, reply));
        }
    }

    private List<ServerRecord> targets() {
        List<ServerRecord> others = new ArrayList<>();
        List<ServerRecord> before = new ArrayList<>();
        for (ServerRecord server : members.all()) {
            int order = server.id().compareTo(config.id());
            if (order > 0) {
                others.add(server);
            } else if (order < 0) {
                before.add(server);
            }
        }
        others.addAll(before);
        return others.subList(0, Math.min(config.pingTargets(), others.size()));
    }

    private void onReply(ServerRecord target, Outcome<PeerReply> reply) {
        boolean alive = reply instanceof Outcome.Ok<PeerReply> ok
                && ok.value() instanceof PeerReply.Pong pong
                && pong.server().equals(target.id());
        if (alive) {
            failed.remove(target.id());
            return;
        }
        int count = failed.merge(target.id(), 1, Integer::sum);
        if (count >= FAILED_PINGS_MIN) {
            coordinator.accept(new PeerRequest.Suspect(config.id(), target.id(), target.incarnation(), count));
        }
    }
}
