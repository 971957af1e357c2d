package io.uniserve.cli.place;

import io.uniserve.cli.ServerNames;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.TextTable;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.placement.explain.Explanation;
import io.uniserve.placement.live.LiveExplainer;
import io.uniserve.placement.live.LiveExplainer.ServerState;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.message.AdminReply.Rebalance;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** Printer of the places of an actor of a running cluster, with reasons, as text or JSON. */
final class LiveExplanationPrinter {
    private final Console console;
    private final LiveView view;
    private final int others;

    /** @param others maximum number of alternatives */
    LiveExplanationPrinter(Console console, LiveView view, int others) {
        this.console = console;
        this.view = view;
        this.others = others;
    }

    /** Prints one actor. Fails with TABLE_NOT_FOUND or INVALID_ARGUMENT if there is no such table or actor. */
    void print(TableName table, int number, LivePlanSource source, Clock clock, boolean json) {
        TableRoute route = view.status().routing().tables().stream()
                .filter(one -> one.meta().name().equals(table))
                .findFirst()
                .orElseThrow(() -> new UniserveException(
                        ErrorCode.TABLE_NOT_FOUND, "table " + table + " does not exist: see 'uniserve table list'"));
        ActorState actor = route.map().find(number);
        if (actor == null) {
            throw UniserveException.invalid("ACTOR " + number + ": table " + table + " has "
                    + route.map().describeNumbers());
        }
        ReplicaKey key = new ReplicaKey(route.meta().tableId(), number);
        LiveExplainer explainer = new LiveExplainer(view.cluster(), source.tolerance(), view.names());
        Explanation why = explainer.explain(key);
        List<ServerState> servers = explainer.servers(key);
        List<String> verdict = explainer.verdict(key, source.plan(view, clock));
        List<String> automatic = automatic(table, number);
        List<String> best = why.others().stream().limit(others).toList();
        if (json) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("table", table.value());
            fields.put("actor", number);
            fields.put("facts", why.facts());
            fields.put("hosts", why.hosts());
            fields.put(
                    "servers",
                    servers.stream().map(server -> fields(server, actor)).toList());
            fields.put("policy", source.policy());
            fields.put("verdict", verdict);
            fields.put("automatic", automatic);
            fields.put("others", best);
            console.json(fields);
            return;
        }
        console.println(table + "/" + number);
        print(why.facts());
        console.println("it is on");
        print(why.hosts());
        printServers(servers, actor);
        console.println("policy " + source.policy());
        print(verdict);
        console.println("automatic changes");
        print(automatic);
        console.println("it could also be on");
        print(best);
    }

    private void print(List<String> lines) {
        lines.forEach(line -> console.println("  " + line));
    }

    private void printServers(List<ServerState> servers, ActorState actor) {
        TextTable table = new TextTable("SERVER", "ZONE", "LOAD MS/S", "OVER MEAN", "ROLE", "CONSTRAINT");
        for (ServerState server : servers) {
            table.row(
                    ServerNames.shortName(server.server().id()),
                    server.server().zone().isEmpty() ? "-" : server.server().zone(),
                    String.format(Locale.ROOT, "%.2f", server.load()),
                    String.format(Locale.ROOT, "%.3f", server.relative()),
                    role(actor, server.server().id()),
                    server.obstacle().isEmpty() ? "-" : server.obstacle());
        }
        table.print(console);
        TreeSet<ServerId> away = new TreeSet<>(actor.isr());
        away.addAll(actor.learners());
        servers.forEach(server -> away.remove(server.server().id()));
        away.forEach(server -> console.println(
                ServerNames.shortName(server) + " has it as " + role(actor, server) + ", but is drained or not live"));
    }

    private static String role(ActorState actor, ServerId server) {
        if (server.equals(actor.primary())) {
            return "primary";
        }
        return actor.isr().contains(server) ? "in-sync" : actor.learners().contains(server) ? "learner" : "-";
    }

    private static Map<String, Object> fields(ServerState server, ActorState actor) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("server", server.server().id().value());
        fields.put("zone", server.server().zone());
        fields.put("load", server.load());
        fields.put("overMean", server.relative());
        fields.put("role", role(actor, server.server().id()));
        fields.put("constraint", server.obstacle());
        return fields;
    }

    private List<String> automatic(TableName table, int number) {
        Rebalance rebalance = view.status().rebalance();
        List<String> told = new ArrayList<>();
        rebalance.moves().stream()
                .filter(move -> move.table().equals(table) && move.actor() == number)
                .forEach(move -> told.add("moves from " + ServerNames.shortName(move.from()) + " to "
                        + ServerNames.shortName(move.to())
                        + (move.reason().isEmpty()
                                ? ", as an operator or an earlier leader requested"
                                : ": " + move.reason())));
        rebalance.copies().stream()
                .filter(copies -> copies.table().equals(table) && copies.actor() == number)
                .forEach(copies -> told.add(copies.replicas() + " replicas, " + copies.automatic()
                        + " requested automatically" + (copies.reason().isEmpty() ? "" : ": " + copies.reason())));
        if (told.isEmpty()) {
            told.add("none under way; the coordinator's log has earlier ones");
        }
        return told;
    }
}
