package io.uniserve.api.plan;

import io.uniserve.model.TableName;
import java.util.Collection;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What is told of a step of an explained plan: the same words for the steps that a host tells and those that a planner does. */
public final class ExplainFormatter {
    /** Servers that are named; of more their number says enough. */
    private static final int NAMED_MAX = 8;

    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private ExplainFormatter() {}

    /**
     * A line.
     *
     * @param taken what its reads took
     * @param nanos that the step took
     */
    public static String of(String what, PlanContext.Taken taken, long nanos) {
        String read = taken.servers().isEmpty()
                ? ""
                : String.format(Locale.ROOT, "; %,d bytes read of %s", taken.bytes(), servers(taken.servers()));
        return String.format(Locale.ROOT, "%s%s; %.1f ms", what, read, nanos / 1e6);
    }

    /** Which actors were asked: {@code 3 of 8 actors of speeches}, or {@code 8 actors of speeches} where all were. */
    public static String actors(int asked, int all, String table) {
        return asked + (asked < all ? " of " + all : "") + (all == 1 ? " actor of " : " actors of ") + table;
    }

    /** What ran at which actors: {@code retrieve solr.select@2 at 8 actors of speeches}. */
    public static String at(String kind, String operator, int asked, int all, TableName table) {
        return kind + " " + operator + " at " + actors(asked, all, table.value());
    }

    /** What a stage of a shuffle took. */
    public static String of(Shuffle.Stage stage) {
        return rows(stage.rows())
                + String.format(
                        Locale.ROOT,
                        ", %,d bytes, %,d from other servers, %,d in files, %s, stage of %.1f ms",
                        stage.bytes(),
                        stage.sentBytes(),
                        stage.spilledBytes(),
                        servers(stage.servers()),
                        stage.nanos() / 1e6);
    }

    /** A number of rows, in words. */
    public static String rows(long count) {
        return String.format(Locale.ROOT, count == 1 ? "%,d row" : "%,d rows", count);
    }

    /**
     * What the answer is whose place an explanation takes.
     *
     * @param where it was made; empty where nothing is to be told
     */
    public static String answer(Answer answer, String where) {
        return String.format(
                Locale.ROOT, "answer: %,d bytes of %s%s", answer.body().size(), answer.contentType(), where);
    }

    /** Where a planner works, in words; nothing where its host does not tell. */
    public static String here(PlanContext context) {
        return context.here().map(server -> ", on server " + brief(server)).orElse("");
    }

    /** How many, and which: {@code 2 servers (3f2a9c41, b07d11e8)}. */
    public static String servers(Collection<String> servers) {
        String names =
                servers.stream().limit(NAMED_MAX).map(ExplainFormatter::brief).collect(Collectors.joining(", "));
        int more = servers.size() - NAMED_MAX;
        return servers.size()
                + (servers.size() == 1 ? " server (" : " servers (")
                + names
                + (more > 0 ? " and " + more + " more)" : ")");
    }

    /** As {@code uniserve status} has them: of a UUID the first eight characters. */
    private static String brief(String server) {
        return UUID.matcher(server).matches() ? server.substring(0, 8) : server;
    }
}
