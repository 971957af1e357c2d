package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.bench.text.PlainSolr;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.solr.AnswerComparator;
import io.uniserve.testkit.solr.SearchQueryGenerator;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Pattern;

/** Queries of tables, each with the complete answer of one core of plain Apache Solr that has all documents. */
final class SolrQuestions {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int PAGES = 4;

    /**
     * For a word that a query searches in several fields these highlighters use the weight of one field, chosen by the order of a Lucene
     * hash whose seed differs per process: even one core's answer may differ after each start.
     */
    private static final Pattern BY_CHANCE =
            Pattern.compile("(?=.*hl\\.method=(?:original|fastVector))(?=.*(?:dismax|maxscore)).*");

    /** Cursors that only replicas with the same files can continue, and which end with their server. */
    private static final Pattern OF_FILES =
            Pattern.compile("\\w~|fuzzy|knn|vectorSimilarity|sort=[^&]*(query|boost|\\{|\\$|%7B|%24)");

    /** Answers of each page, by query. */
    private final Map<Asked, List<Map<String, Object>>> answers = new LinkedHashMap<>();

    record Asked(String table, String query) {}

    /** True if plain Solr's answer does not depend on the process. */
    static boolean hasOneAnswer(String query) {
        return !BY_CHANCE.matcher(query).matches();
    }

    /** Gets the expected answers from plain Solr's collection; for a cursor walk those of some pages. */
    void ask(PlainSolr plain, String collection, String table, List<String> queries) {
        for (String query : queries.stream().filter(SolrQuestions::hasOneAnswer).toList()) {
            String page = query;
            List<Map<String, Object>> pages = new ArrayList<>();
            answers.put(new Asked(table, query), pages);
            for (int i = 0; i < PAGES; i++) {
                Map<String, Object> answer = parsed(page, plain.query(collection, page));
                if (answer.get("responseHeader") instanceof Map<?, ?> header) {
                    header.remove("zkConnected"); // reported by a node, but not by a core
                }
                pages.add(answer);
                Object next = answer.get("nextCursorMark");
                if (next == null) {
                    break;
                }
                page = query.replace("cursorMark=*", "cursorMark=" + SearchQueryGenerator.escape(next.toString()));
            }
        }
    }

    /** Returns the queries of all tables in random order. */
    List<Asked> shuffled(Random random) {
        List<Asked> all = new ArrayList<>(answers.keySet());
        Collections.shuffle(all, random);
        return all;
    }

    /** Sends the query to the table, page by page. Fails unless the complete answers equal those of one core. */
    void check(UniserveClient client, Asked asked) {
        String page = asked.query();
        for (Map<String, Object> expected : Objects.requireNonNull(answers.get(asked))) {
            String answer;
            try {
                answer = client.query(asked.table(), page).body().utf8();
            } catch (UniserveException e) {
                if (e.code() == ErrorCode.CURSOR_GONE
                        && OF_FILES.matcher(asked.query()).find()) {
                    return;
                }
                throw e;
            }
            Map<String, Object> actual = parsed(page, answer);
            assertThat(AnswerComparator.firstDifference(page, expected, actual))
                    .as(asked.table() + " " + page)
                    .isEmpty();
            String next = SearchQueryGenerator.escape(String.valueOf(actual.get("nextCursorMark")));
            page = asked.query().replace("cursorMark=*", "cursorMark=" + next);
        }
    }

    private static Map<String, Object> parsed(String query, String json) {
        try {
            return JSON.readValue(json, new TypeReference<>() {});
        } catch (JsonProcessingException e) {
            throw new AssertionError(query, e);
        }
    }
}
