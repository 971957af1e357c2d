package io.uniserve.port.solr;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.lucene.QueryTermStatistics;
import io.uniserve.lucene.SegmentInspector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.lucene.search.Query;
import org.apache.solr.common.params.CommonParams;
import org.apache.solr.common.params.CursorMarkParams;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.util.NamedList;
import org.apache.solr.handler.component.ResponseBuilder;
import org.apache.solr.handler.component.ShardRequest;
import org.apache.solr.response.SolrQueryResponse;
import org.jspecify.annotations.Nullable;

/**
 * Cursor of a query whose order depends on the replicas, such as an order by score. Its mark is Solr's mark and a fingerprint per actor of
 * the statistics by which its replica scored. A page is read only from replicas with the same fingerprints.
 */
final class SolrCursor {
    /** Parameter for the actors: the required fingerprint per actor; none on the first page. */
    private static final String EXPECTED_FINGERPRINTS = "uniserve.cursor.walked";
    /** Number of the called actor. */
    static final String ACTOR = "uniserve.cursor.actor";
    /** Fingerprint of an actor in its answer. */
    static final String FINGERPRINT = "uniserve.cursor.copy";

    private static final Pattern BY_SCORE = Pattern.compile("(?i)\\bscore\\b");
    /** Orders by scores of other queries; nearest documents and fuzzy terms, which each replica finds by its own index. */
    private static final Pattern BY_INDEX =
            Pattern.compile("(?im)^sort=.*(\\b(query|boost)\\s*\\(|\\{!|\\$)|\\w~|\\b(fuzzy|knn|vectorSimilarity)\\b");
    /** Scores of any kind. */
    private static final Pattern SCORES = Pattern.compile("(?i)\\bscore\\b|\\b(query|boost)\\s*\\(|\\{!|\\$");

    private final List<Integer> actors;
    private final Map<Integer, Long> copies = new TreeMap<>();

    private SolrCursor(List<Integer> actors) {
        this.actors = actors;
    }

    /** True if the answer may depend on the replicas that are called. */
    static boolean dependsOnReplicas(ModifiableSolrParams params, String lines) {
        return BY_INDEX.matcher(lines).find()
                || !params.getBool(CommonParams.DISTRIB_STATS_CACHE, false)
                        && SCORES.matcher(lines).find();
    }

    /**
     * Returns the cursor of a query that is about to run; null if it has none, or if any replicas can continue it. Sets Solr's part of the
     * mark in the parameters.
     */
    static @Nullable SolrCursor of(ModifiableSolrParams params, String lines, List<Integer> actors) {
        String mark = params.get(CursorMarkParams.CURSOR_MARK_PARAM);
        boolean byIndex = BY_INDEX.matcher(lines).find();
        if (mark == null
                || !byIndex && !BY_SCORE.matcher(params.get("sort", "")).find()) {
            return null;
        }
        int end = mark.indexOf('.');
        boolean first = mark.equals(CursorMarkParams.CURSOR_MARK_START);
        byte[] all = end < 0 ? new byte[0] : decoded(mark.substring(end + 1));
        if (all.length != (first ? 0 : actors.size() * Long.BYTES)) {
            throw UniserveException.invalid("cursorMark=" + PrintableText.line(mark)
                    + " has no copies for each actor of this query: use * for the first page, then nextCursorMark");
        }
        ByteBuffer each = ByteBuffer.wrap(all);
        String walked = first
                ? ""
                : actors.stream().map(actor -> actor + "=" + each.getLong()).collect(Collectors.joining(" "));
        params.set(CursorMarkParams.CURSOR_MARK_PARAM, first ? mark : mark.substring(0, end));
        params.set(EXPECTED_FINGERPRINTS, (byIndex ? "index " : "score ") + walked);
        return new SolrCursor(actors);
    }

    private static byte[] decoded(String text) {
        try {
            return Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }

    /** At an actor: adds its replica's fingerprint to the answer. Fails if the cursor requires another fingerprint. */
    static void check(ResponseBuilder builder, Query query) throws IOException {
        String walked = builder.req.getParams().get(EXPECTED_FINGERPRINTS);
        if (walked == null || !LivingStats.hasPurpose(builder.req, ShardRequest.PURPOSE_GET_TOP_IDS, true)) {
            return;
        }
        String actor = builder.req.getParams().get(ACTOR);
        long own = walked.startsWith("index")
                ? QueryTermStatistics.fingerprint(
                        SegmentInspector.ids(builder.req.getSearcher().getIndexReader()))
                : LivingStats.of(builder, query, LivingStats.isRequested(builder.req))
                        .fingerprint();
        if (walked.contains("=") && !(walked + " ").contains(" " + actor + "=" + own + " ")) {
            throw new UniserveException(
                    ErrorCode.CURSOR_GONE,
                    "cursorMark: no replica of actor " + actor
                            + " orders documents like the one that returned the mark, which"
                            + " is gone or has changed. Start again with cursorMark=*; to avoid this, use a"
                            + " session, distrib.statsCache=true on a table at rest, or a sort by fields");
        }
        builder.rsp.add(FINGERPRINT, own);
    }

    /** Records an actor's answer. */
    void onReply(int actor, NamedList<?> answer) {
        if (answer.get(FINGERPRINT) instanceof Number own) {
            copies.put(actor, own.longValue());
        }
    }

    /** Adds the fingerprints to the answer's next mark. */
    void finish(SolrQueryResponse response) {
        response.getValues().remove(FINGERPRINT);
        int at = response.getValues().indexOf(CursorMarkParams.CURSOR_MARK_NEXT, 0);
        if (at >= 0) {
            ByteBuffer all = ByteBuffer.allocate(actors.size() * Long.BYTES);
            actors.forEach(actor -> all.putLong(copies.getOrDefault(actor, 0L)));
            String walked = Base64.getUrlEncoder().withoutPadding().encodeToString(all.array());
            response.getValues().setVal(at, response.getValues().getVal(at) + "." + walked);
        }
    }
}
