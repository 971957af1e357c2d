package io.uniserve.placement;

import io.uniserve.placement.ScalingView.Server;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToLongFunction;

/**
 * Scaling by thresholds of the mean CPU (Uniserve paper, section 6.2). Above the upper threshold it adds servers. Below the lower one it
 * removes the server with the fewest primaries, if the others can bear the load without the spare servers too. Immutable and thread-safe.
 */
public final class ThresholdScalingPolicy implements ScalingPolicy {
    private final ScalingLimits limits;

    /** Creates the policy. */
    public ThresholdScalingPolicy(ScalingLimits limits) {
        this.limits = limits;
    }

    @Override
    public ScalingDecision decide(ScalingView view) {
        int servers = view.servers().size();
        if (servers < limits.serversMin()) {
            int missing = limits.serversMin() - servers;
            return ScalingDecision.add(missing, servers + " servers, the minimum is " + limits.serversMin());
        }
        OptionalDouble cpu = view.meanCpu();
        if (cpu.isEmpty()) {
            return ScalingDecision.none(view.servers().stream()
                            .filter(server -> server.cpuCores().isEmpty())
                            .map(server -> server.id().value())
                            .findFirst()
                            .orElse("no server")
                    + " has reported no CPU time of queries for a whole period");
        }
        double mean = cpu.getAsDouble();
        Optional<String> full = fullReason(view);
        if (mean > limits.addAbove() || full.isPresent()) {
            String why = full.orElse("CPU " + percent(mean) + " is above " + percent(limits.addAbove()));
            int room = limits.serversMax() - servers;
            return room <= 0
                    ? ScalingDecision.none(why + ", but " + servers + " servers are the maximum")
                    : ScalingDecision.add(Math.min(limits.step(), room), why);
        }
        if (servers > limits.serversMax()) {
            return removal(view, servers + " servers, the maximum is " + limits.serversMax());
        }
        if (mean < limits.removeBelow()) {
            String why = "CPU " + percent(mean) + " is below " + percent(limits.removeBelow());
            return servers <= limits.serversMin()
                    ? ScalingDecision.none(why + ", but " + servers + " servers are the minimum")
                    : removal(view, why);
        }
        return ScalingDecision.none("CPU " + percent(mean) + " is from " + percent(limits.removeBelow()) + " to "
                + percent(limits.addAbove()));
    }

    /** Reason why the data needs more servers; empty if there is enough room, or the capacity is unknown. */
    private Optional<String> fullReason(ScalingView view) {
        double memory = share(view.servers(), Server::memoryBytes, Server::memoryMax);
        if (memory > limits.dataMax()) {
            return Optional.of(
                    "data fills " + percent(memory) + " of the memory, more than " + percent(limits.dataMax()));
        }
        double disk = share(view.servers(), Server::diskBytes, Server::diskMax);
        return disk > limits.dataMax()
                ? Optional.of("data fills " + percent(disk) + " of the disks, more than " + percent(limits.dataMax()))
                : Optional.empty();
    }

    private static double share(List<Server> servers, ToLongFunction<Server> used, ToLongFunction<Server> capacity) {
        double all = servers.stream().mapToLong(capacity).asDoubleStream().sum();
        boolean known = servers.stream().allMatch(server -> capacity.applyAsLong(server) > 0);
        return known && all > 0
                ? servers.stream().mapToLong(used).asDoubleStream().sum() / all
                : 0;
    }

    private ScalingDecision removal(ScalingView view, String why) {
        Optional<Server> chosen = view.servers().stream()
                .filter(Server::isRemovable)
                .min(Comparator.comparingInt(Server::primaries)
                        .thenComparingInt(Server::replicas)
                        .thenComparing(Server::id, Comparator.reverseOrder()));
        if (chosen.isEmpty()) {
            return ScalingDecision.none(why + ", but no server may go");
        }
        Server server = chosen.get();
        List<Server> rest = view.servers().stream()
                .filter(other -> !other.id().equals(server.id()))
                .toList();
        double left = rest.stream()
                .mapToDouble(Server::coresMax)
                .sorted()
                .limit(Math.max(0, rest.size() - limits.spareServers()))
                .sum();
        double predicted = left > 0 ? view.usedCores() / left : Double.POSITIVE_INFINITY;
        if (predicted >= limits.addAbove()) {
            return ScalingDecision.none(why + ", but without " + server.id() + " and " + limits.spareServers()
                    + " spare servers CPU would be "
                    + (Double.isInfinite(predicted) ? "without a server" : percent(predicted)));
        }
        Optional<String> tight = tightReason(view, rest);
        if (tight.isPresent()) {
            return ScalingDecision.none(why + ", but without " + server.id() + " " + tight.get());
        }
        return ScalingDecision.remove(
                server.id(),
                why + "; " + server.id() + " has the fewest primaries, " + server.primaries()
                        + "; without it and the spare servers CPU is at most " + percent(predicted));
    }

    private Optional<String> tightReason(ScalingView view, List<Server> rest) {
        double memory = shareAfter(view, rest, Server::memoryBytes, Server::memoryMax);
        double disk = shareAfter(view, rest, Server::diskBytes, Server::diskMax);
        if (memory > limits.dataMax()) {
            return Optional.of("data would fill " + percent(memory) + " of the memory");
        }
        return disk > limits.dataMax()
                ? Optional.of("data would fill " + percent(disk) + " of the disks")
                : Optional.empty();
    }

    private static double shareAfter(
            ScalingView view, List<Server> rest, ToLongFunction<Server> used, ToLongFunction<Server> capacity) {
        double room = rest.stream().mapToLong(capacity).asDoubleStream().sum();
        boolean known = rest.stream().allMatch(server -> capacity.applyAsLong(server) > 0);
        return known && room > 0
                ? view.servers().stream().mapToLong(used).asDoubleStream().sum() / room
                : 0;
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * share);
    }
}
