package io.uniserve.protocol.server;

import io.uniserve.api.ActorUsage;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.protocol.replica.Replica;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Gathers the state and usage of all replicas. Usage that an engine is slow to tell is left at the last value known. */
final class LoadReport {
    private static final long WAIT_NANOS = 500_000_000;

    private final Environment env;
    private final ServerId self;
    private final ReplicaSet replicas;
    private final TreeMap<io.uniserve.model.ReplicaKey, ActorUsage> usages = new TreeMap<>();

    LoadReport(Environment env, ServerId self, ReplicaSet replicas) {
        this.env = env;
        this.self = self;
        this.replicas = replicas;
    }

    void report(Completion<PeerReply> completion) {
        List<Replica> all = replicas.all();
        usages.keySet().removeIf(key -> replicas.find(key) == null);
        int[] waiting = {1};
        boolean[] sent = {false};
        Runnable one = () -> {
            waiting[0]--;
            if (waiting[0] <= 0 && !sent[0]) {
                sent[0] = true;
                completion.done(Outcome.ok(load(all)));
            }
        };
        for (Replica replica : all) {
            if (replica.gate().serving()) {
                waiting[0]++;
                env.engine().usage(replica.key(), usage -> {
                    if (usage instanceof Outcome.Ok<ActorUsage> ok) {
                        usages.put(replica.key(), ok.value());
                    }
                    one.run();
                });
            }
        }
        env.timers().after(waiting[0] > 1 ? WAIT_NANOS : 0, () -> {
            waiting[0] = 1;
            one.run();
        });
        one.run();
    }

    private PeerReply.Load load(List<Replica> all) {
        List<ReplicaLoad> loads = new ArrayList<>();
        for (Replica replica : all) {
            ActorUsage usage = usages.getOrDefault(replica.key(), new ActorUsage(0, 0, 0));
            loads.add(new ReplicaLoad(
                    replica.key(),
                    replica.installed(),
                    replica.role(),
                    replica.lastIndex(),
                    replica.stableIndex(),
                    replica.applied(),
                    usage.rows(),
                    usage.memoryBytes(),
                    usage.diskBytes() + replica.logBytes(),
                    0,
                    0,
                    replica.backup().shipped(),
                    replica.backup().checkpoint(),
                    0));
        }
        return new PeerReply.Load(self, loads, 0);
    }
}
