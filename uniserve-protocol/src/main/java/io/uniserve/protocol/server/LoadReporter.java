package io.uniserve.protocol.server;

import io.uniserve.api.ActorUsage;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.RegistryConnectionMonitor;
import io.uniserve.protocol.backup.ship.BackupProgress;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.protocol.replica.Replica;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Report of a server: state and usage of all replicas, and its problems. If an engine is slow to report its usage, the last known value is
 * used. The number of rows is unknown before the first report.
 */
final class LoadReporter {
    private static final long WAIT_NANOS = 500_000_000;

    private final Environment env;
    private final ServerId self;
    private final HostedReplicas replicas;
    private final TreeMap<io.uniserve.model.ReplicaKey, ActorUsage> usages = new TreeMap<>();

    private final RegistryConnectionMonitor contact;
    private final List<Supplier<List<HealthProblem>>> sources = new ArrayList<>();

    LoadReporter(Environment env, ServerId self, HostedReplicas replicas, RegistryConnectionMonitor contact) {
        this.contact = contact;
        this.env = env;
        this.self = self;
        this.replicas = replicas;
    }

    /** Adds a source of problems to all later reports. */
    void addSource(Supplier<List<HealthProblem>> source) {
        sources.add(source);
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
                    } else if (usage.error().code() == ErrorCode.CORRUPT) {
                        replica.copyCheck().onContentsLost(usage.error());
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
        long now = env.clock().nanos();
        List<ReplicaLoad> loads = new ArrayList<>();
        for (Replica replica : all) {
            ActorUsage known = usages.get(replica.key());
            ActorUsage usage = known == null ? new ActorUsage(0, 0, 0) : known;
            ReplicaLog log = replica.log();
            BackupProgress backup = replica.backupProgress();
            loads.add(new ReplicaLoad(
                    replica.key(),
                    replica.installedEpoch(),
                    replica.role(),
                    replica.lastIndex(),
                    replica.highWatermark(),
                    replica.appliedIndex(),
                    known == null ? ReplicaLoad.UNKNOWN : usage.rows(),
                    usage.memoryBytes(),
                    usage.diskBytes() + (log == null ? 0 : log.bytes()),
                    0,
                    0,
                    backup.shipped(),
                    backup.checkpoint(),
                    0,
                    isServing(replica.gate(), now) ? PeerReply.Serving.YES : PeerReply.Serving.NO,
                    backup.failingMillis()));
        }
        return new PeerReply.Load(self, loads, 0, 0, List.of(), contact.ageMillis(now), problems(all, now));
    }

    private static boolean isServing(ReadGate gate, long now) {
        return gate.serving() && gate.leaseUntilNanos() - now > 0;
    }

    private List<HealthProblem> problems(List<Replica> all, long now) {
        List<HealthProblem> problems = new ArrayList<>();
        contact.lossReason(now)
                .ifPresent(why -> problems.add(new HealthProblem(HealthProblem.Severity.ERROR, "registry", why)));
        backup(all).ifPresent(problems::add);
        sources.forEach(source -> problems.addAll(source.get()));
        return problems.subList(0, Math.min(problems.size(), Limits.PROBLEMS_TOLD_MAX));
    }

    /** One problem for all actors with a failing backup: they share durable storage, and there may be thousands. */
    private static Optional<HealthProblem> backup(List<Replica> all) {
        int failing = 0;
        String longest = "";
        long millis = 0;
        for (Replica replica : all) {
            BackupProgress backup = replica.backupProgress();
            if (backup.failingMillis() > 0) {
                failing++;
                if (backup.failingMillis() > millis) {
                    millis = backup.failingMillis();
                    longest = replica.key() + ": " + backup.failure();
                }
            }
        }
        if (failing == 0) {
            return Optional.empty();
        }
        String text = "the backup of %d %s has failed for %d.%d s, e.g. of %s"
                .formatted(failing, failing == 1 ? "actor" : "actors", millis / 1000, millis % 1000 / 100, longest);
        return Optional.of(new HealthProblem(HealthProblem.Severity.FAILING, "backup", text));
    }
}
