package io.uniserve.placement.explain;

import io.uniserve.error.UniserveException;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ShardSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Explainer of placements. It uses the problem and the placement alone, so it works for every policy. Not thread-safe. */
public final class Explainer {
    private final ClusterLoad in;
    private final Assignment before;
    private final Assignment now;
    private final double[] load;
    private final double[] usedMemory;

    /**
     * Explains a placement.
     *
     * @param in the problem; its current placement is the one before
     * @param now the placement to explain
     */
    public Explainer(ClusterLoad in, Assignment now) {
        this.in = in;
        this.now = now;
        before = in.current();
        load = new double[in.servers()];
        usedMemory = new double[in.servers()];
        for (int i = 0; i < in.actors(); i++) {
            for (int p = 0; p < now.replicas(i); p++) {
                load[now.server(i, p)] += now.share(i, p) * in.load(i);
                usedMemory[now.server(i, p)] += in.memory(i);
            }
        }
    }

    private record Option(int server, double contention, boolean fits, String text) {}

    /** Explains one actor. */
    public Explanation explain(int actor) {
        if (actor < 0 || actor >= in.actors()) {
            throw UniserveException.invalid("actor is " + actor + ": use 0 to " + (in.actors() - 1));
        }
        List<ShardSet> sets = setsOf(actor);
        List<String> hosts = new ArrayList<>();
        for (int p = 0; p < now.replicas(actor); p++) {
            hosts.add(host(actor, now.server(actor, p), now.share(actor, p), sets));
        }
        List<Option> options = new ArrayList<>();
        for (int j = 0; j < in.servers(); j++) {
            if (!now.isOn(actor, j)) {
                options.add(option(actor, j, sets));
            }
        }
        options.sort(Comparator.comparing(Option::fits)
                .reversed()
                .thenComparingDouble(Option::contention)
                .thenComparingDouble(option -> load[option.server()] / in.weight(option.server())));
        return new Explanation(
                actor,
                facts(actor, sets),
                hosts,
                options.stream().map(Option::text).toList());
    }

    private List<String> facts(int actor, List<ShardSet> sets) {
        List<String> facts = new ArrayList<>();
        double mean = Math.max(in.mean(), Double.MIN_NORMAL);
        facts.add(text(
                "load %.4g, %.2f times a server's fair share; memory %.4g",
                in.load(actor), in.load(actor) / mean, in.memory(actor)));
        int needed = in.servers() == 0 ? in.rf() : in.replicasNeeded(actor);
        facts.add(
                needed > in.rf()
                        ? text("needs %d replicas, because one server takes at most %.4g", needed, highestLoad())
                        : text("needs %d replicas, as rf asks", needed));
        double frequency = sets.stream().mapToDouble(ShardSet::frequency).sum();
        facts.add(text("in %d popular shard sets, frequency %.4g together", sets.size(), frequency));
        return facts;
    }

    private String host(int actor, int server, double share, List<ShardSet> sets) {
        String since = before.isOn(actor, server) ? "was there before" : "new: " + whyNew(actor);
        double beside = 0;
        for (ShardSet set : sets) {
            beside += count(set, server) > 1 ? set.frequency() : 0;
        }
        return text(
                "server %d: share %.3f, %s; server at %.3f of its fair share; shares it with others of its sets at frequency"
                        + " %.4g",
                server, share, since, relativeLoad(server, 0), beside);
    }

    private String whyNew(int actor) {
        if (before.replicas(actor) == 0) {
            return "it had no host";
        }
        boolean stays = false;
        for (int server : before.hosts(actor)) {
            stays |= now.isOn(actor, server);
        }
        if (stays) {
            return "one more replica, for balance or rf";
        }
        int old = before.server(actor, 0);
        for (ShardSet set : setsOf(actor)) {
            int others = count(set, old);
            if (others > 0) {
                return text(
                        "left server %d, which would have %d others of a set of %d", old, others, set.actors().length);
            }
        }
        return text("left server %d for balance", old);
    }

    private Option option(int actor, int server, List<ShardSet> sets) {
        double more = 0;
        for (ShardSet set : sets) {
            more += count(set, server) + 1 > largest(set) ? set.frequency() : 0;
        }
        boolean fits = usedMemory[server] + in.memory(actor) <= in.capacity(server) * (1 + 1e-9);
        double part = in.load(actor) / (now.replicas(actor) + 1);
        String verdict = fits
                ? text(
                        "contention +%.4g, server from %.3f to %.3f of its fair share",
                        more, relativeLoad(server, 0), relativeLoad(server, part))
                : text("no memory: %.4g of %.4g used", usedMemory[server], in.capacity(server));
        int neighbour = hostInZone(actor, server);
        String zone = neighbour < 0 ? "" : text(", in the zone of server %d, which hosts it", neighbour);
        return new Option(server, more, fits, "server " + server + ": " + verdict + zone);
    }

    private double relativeLoad(int server, double more) {
        double due = in.mean() * in.weight(server);
        return due > 0 ? (load[server] + more) / due : 0;
    }

    private List<ShardSet> setsOf(int actor) {
        return in.sets().stream()
                .filter(set -> {
                    for (int member : set.actors()) {
                        if (member == actor) {
                            return true;
                        }
                    }
                    return false;
                })
                .sorted(Comparator.comparingDouble(ShardSet::frequency).reversed())
                .toList();
    }

    private int count(ShardSet set, int server) {
        int n = 0;
        for (int member : set.actors()) {
            n += now.isOn(member, server) ? 1 : 0;
        }
        return n;
    }

    private int largest(ShardSet set) {
        int most = 0;
        for (int j = 0; j < in.servers(); j++) {
            most = Math.max(most, count(set, j));
        }
        return most;
    }

    /** Returns the maximum load of the strongest server. */
    private double highestLoad() {
        double most = 0;
        for (int j = 0; j < in.servers(); j++) {
            most = Math.max(most, in.loadMax(j));
        }
        return most;
    }

    /** Returns a host of the actor in the server's zone; -1 if there is none. */
    private int hostInZone(int actor, int server) {
        for (int host : now.hosts(actor)) {
            if (in.zone(host) == in.zone(server)) {
                return host;
            }
        }
        return -1;
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
