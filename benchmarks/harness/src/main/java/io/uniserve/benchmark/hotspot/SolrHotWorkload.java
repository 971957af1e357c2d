package io.uniserve.benchmark.hotspot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.uniserve.benchmark.balance.HashedKeys;
import io.uniserve.benchmark.balance.HotWorkload;
import io.uniserve.client.UniserveClient;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Port solr: a query is a phrase of two words in the documents of one actor. The documents are sequences of made-up words, so the right
 * answer follows from the texts alone.
 */
final class SolrHotWorkload implements HotWorkload {
    private static final String KEY = "id";
    private static final int WORDS = 60;
    private static final int PHRASES = 64;
    private static final int SHOWN = 10;
    private static final long SEED = 20_260_101;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HashedKeys keys;
    private final int rows;
    private final Map<String, String> texts = new HashMap<>();
    private final List<List<Phrase>> phrases = new ArrayList<>();

    /** Phrase with its right answer on one actor: the number of documents, and the first of them by id. */
    record Phrase(String text, int found, List<String> ids) {}

    SolrHotWorkload(int actors, int rows) {
        this.rows = rows;
        this.keys = new HashedKeys(actors, rows, 1);
        Random random = new Random(SEED);
        for (int actor = 0; actor < actors; actor++) {
            for (String key : keys.of(actor)) {
                texts.put(key, text(random));
            }
        }
        for (int actor = 0; actor < actors; actor++) {
            List<String> own = keys.of(actor);
            List<Phrase> some = new ArrayList<>();
            for (int i = 0; i < PHRASES; i++) {
                String[] words = textOf(own.get(random.nextInt(own.size()))).split(" ");
                int at = random.nextInt(words.length - 1);
                some.add(phrase(own, words[at] + " " + words[at + 1]));
            }
            phrases.add(List.copyOf(some));
        }
    }

    /** Frequent words are much more frequent than rare ones. No word has an ending that a stemmer removes. */
    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < WORDS; i++) {
            int rank = (int) (100 * random.nextDouble() * random.nextDouble());
            text.append(i == 0 ? "" : " ").append(word(rank));
        }
        return text.toString();
    }

    private static String word(int rank) {
        String[] starts = {"ba", "do", "ku", "lo", "ma", "nu", "po", "ra", "tu", "zo"};
        return starts[rank / 10] + starts[rank % 10] + "ka";
    }

    private String textOf(String key) {
        return texts.getOrDefault(key, "");
    }

    private Phrase phrase(List<String> own, String words) {
        String padded = " " + words + " ";
        List<String> all = own.stream()
                .filter(key -> (" " + textOf(key) + " ").contains(padded))
                .toList();
        return new Phrase(words, all.size(), all.subList(0, Math.min(SHOWN, all.size())));
    }

    @Override
    public String table() {
        return "hot";
    }

    @Override
    public String description() {
        return rows + " documents of " + WORDS + " made-up words; a query is a phrase of two words, sorted by id";
    }

    @Override
    public void load(UniserveClient client) {
        keys.load(client, table(), "solr", KEY, "solr.add@1", key -> Map.of(KEY, key, "text", textOf(key)));
    }

    @Override
    public int parts() {
        return keys.actors();
    }

    /** Returns a phrase of a part, with its right answer. */
    Phrase phrase(int part, long n) {
        return phrases.get(part).get((int) Math.floorMod(n, (long) PHRASES));
    }

    @Override
    public Optional<String> query(UniserveClient client, int part, long n) {
        Phrase phrase = phrase(part, n);
        String parameters = "q=" + URLEncoder.encode("text:\"" + phrase.text() + "\"", StandardCharsets.UTF_8)
                + "&fl=id&sort=id+asc&omitHeader=true&rows=" + SHOWN;
        return difference(
                phrase,
                client.table(table())
                        .key(keys.key(part, 0))
                        .query(parameters)
                        .body()
                        .utf8());
    }

    /** Compares an answer with the documents that have the phrase. */
    static Optional<String> difference(Phrase phrase, String answer) {
        try {
            JsonNode response = JSON.readTree(answer).path("response");
            List<String> ids = new ArrayList<>();
            response.path("docs").forEach(document -> ids.add(document.path(KEY).asText()));
            return response.path("numFound").asInt(-1) == phrase.found() && ids.equals(phrase.ids())
                    ? Optional.empty()
                    : Optional.of("\"" + phrase.text() + "\" is in " + phrase.found() + " documents, first "
                            + phrase.ids() + "; the answer is " + answer);
        } catch (JsonProcessingException e) {
            return Optional.of("the answer is not JSON: " + answer);
        }
    }
}
