package io.uniserve.api.plan;

import io.uniserve.model.TableName;
import java.util.Collection;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Formatter for the steps of an explained plan. Hosts and planners share it, so that all steps read alike. Stateless. */
public final class ExplainFormatter {
    /** Maximum number of server names in a line; further servers are only counted. */
    private static final int NAMED_MAX = 8;

    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private ExplainFormatter() {}

    /**
     * Formats one step.
     *
     * @param what the step
     * @param taken cost of its reads
     * @param nanos duration of the step in nanoseconds
     */
    public static String formatStep(String what, PlanContext.ReadStats taken, long nanos) {
        String read = taken.servers().isEmpty()
                ? ""
                : String.format(Locale.ROOT, "; %,d bytes read of %s", taken.bytes(), formatServers(taken.servers()));
        return String.format(Locale.ROOT, "%s%s; %.1f ms", what, read, nanos / 1e6);
    }

    /** Formats a number of actors: {@code 3 of 8 actors of speeches}, or {@code 8 actors of speeches} for all of them. */
    public static String formatActors(int asked, int all, String table) {
        return asked + (asked < all ? " of " + all : "") + (all == 1 ? " actor of " : " actors of ") + table;
    }

    /** Formats an operator and its actors: {@code retrieve solr.select@2 at 8 actors of speeches}. */
    public static String formatOperatorCall(String kind, String operator, int asked, int all, TableName table) {
        return kind + " " + operator + " at " + formatActors(asked, all, table.value());
    }

    /** Formats the cost of a shuffle's stage. */
    public static String formatShuffleStage(Shuffle.Stage stage) {
        return formatRowCount(stage.rows())
                + String.format(
                        Locale.ROOT,
                        ", %,d bytes, %,d from other servers, %,d in files, %s, stage of %.1f ms",
                        stage.bytes(),
                        stage.sentBytes(),
                        stage.spilledBytes(),
                        formatServers(stage.servers()),
                        stage.nanos() / 1e6);
    }

    /** Formats a number of rows. */
    public static String formatRowCount(long count) {
        return String.format(Locale.ROOT, count == 1 ? "%,d row" : "%,d rows", count);
    }

    /**
     * Formats the size and type of the answer that the explanation replaces.
     *
     * @param where suffix that names the server, as from {@link #formatLocalServer}; may be empty
     */
    public static String formatAnswer(Answer answer, String where) {
        return String.format(
                Locale.ROOT, "answer: %,d bytes of %s%s", answer.body().size(), answer.contentType(), where);
    }

    /** Formats the server that runs the plan; empty if the host does not report it. */
    public static String formatLocalServer(PlanContext context) {
        return context.localServer()
                .map(server -> ", on server " + shortServerId(server))
                .orElse("");
    }

    /** Formats number and names of servers: {@code 2 servers (3f2a9c41, b07d11e8)}. */
    public static String formatServers(Collection<String> servers) {
        String names = servers.stream()
                .limit(NAMED_MAX)
                .map(ExplainFormatter::shortServerId)
                .collect(Collectors.joining(", "));
        int more = servers.size() - NAMED_MAX;
        return servers.size()
                + (servers.size() == 1 ? " server (" : " servers (")
                + names
                + (more > 0 ? " and " + more + " more)" : ")");
    }

    /** The first eight characters of a UUID, as in {@code uniserve status}. */
    private static String shortServerId(String server) {
        return UUID.matcher(server).matches() ? server.substring(0, 8) : server;
    }
}
