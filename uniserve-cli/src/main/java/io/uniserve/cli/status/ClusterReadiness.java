package io.uniserve.cli.status;

import io.uniserve.cli.ServerNames;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.ServerId;
import io.uniserve.model.ServerRecord;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a cluster or one server of it lacks, by what the coordinator knows and what servers tell it. */
final class ClusterReadiness {
    private ClusterReadiness() {}

    /** Of all servers and actors; {@code servers} is how many are to be live, 0 for any number. */
    static List<String> missing(ClusterStatus status, int servers) {
        List<String> missing = new ArrayList<>();
        List<ServerRecord> live = status.routing().servers();
        if (live.size() < servers) {
            missing.add(live.size() + " of " + servers + " servers are live");
        }
        if (live.isEmpty()) {
            missing.add("no server is live: servers that refuse this cluster's ZooKeeper say why in their logs");
        }
        live.forEach(server -> missing.addAll(missing(status, server.id())));
        for (TableRoute table : status.routing().tables()) {
            for (ActorState actor : table.map().actors()) {
                int copies = Math.max(table.meta().rf(), actor.desired().size());
                if (actor.isr().size() < copies) {
                    missing.add(table.meta().name() + "/" + actor.actor() + " has "
                            + actor.isr().size() + " of " + copies + " replicas in sync");
                }
            }
        }
        return missing;
    }

    /** Of one server. */
    static List<String> missing(ClusterStatus status, ServerId server) {
        List<String> missing = new ArrayList<>();
        String brief = ServerNames.brief(server);
        Optional<Load> load = status.loads().stream()
                .filter(told -> told.server().equals(server))
                .findFirst();
        if (status.routing().servers().stream().noneMatch(record -> record.id().equals(server))) {
            return List.of(brief + " is not live");
        }
        if (load.isEmpty()) {
            return List.of(brief + " does not answer the coordinator");
        }
        for (TableRoute table : status.routing().tables()) {
            for (ActorState actor : table.map().actors()) {
                if (actor.hosts(server) || actor.desired().contains(server)) {
                    String lacks = lacks(table, actor, server, load.get());
                    if (lacks != null) {
                        missing.add(table.meta().name() + "/" + actor.actor() + " " + lacks + " on " + brief);
                    }
                }
            }
        }
        return missing;
    }

    private static @Nullable String lacks(TableRoute table, ActorState actor, ServerId server, Load load) {
        if (!actor.isr().contains(server)) {
            return "is not in sync yet";
        }
        ReplicaKey key = new ReplicaKey(table.meta().tableId(), actor.actor());
        Optional<ReplicaLoad> told =
                load.replicas().stream().filter(r -> r.key().equals(key)).findFirst();
        if (told.isEmpty() || told.get().epoch() != actor.epoch()) {
            return "has not begun epoch " + actor.epoch();
        }
        String role = told.get().role();
        boolean serves = actor.primary().equals(server) ? role.equals(ReplicaLoad.PRIMARY) : role.equals("follower");
        return serves ? null : "is " + role;
    }
}
