package io.uniserve.testkit.solr;

import io.uniserve.api.Document;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Generator of queries with answers that do not depend on term statistics, from words of the documents. */
public final class SearchQueryGenerator {
    private static final List<String> SORTS = List.of(
            "year_i desc",
            "length_l asc",
            "ratio_d desc,year_i asc",
            "date_dt asc",
            "first_s asc",
            "first_s desc",
            "even_b asc,share_f desc",
            "id desc",
            "share_f asc,first_s desc");
    private static final List<String> LISTS =
            List.of("id", "*", "id,title", "id,year_i,words_ss", "id,date_dt,even_b", "id,*_d,*_f", "id,no_such_s");
    private static final List<String> FACETS =
            List.of("first_s", "words_ss", "year_i", "even_b", "length_l", "title", "ratio_d", "date_dt");
    private static final List<String> FILTERS = List.of(
            "year_i:[1998 TO 2001]",
            "even_b:true",
            "ratio_d:{* TO 30.0}",
            "-first_s:[* TO *]",
            "date_dt:[2000-01-01T00:00:00Z TO 2003-06-30T00:00:00Z]",
            "{!frange l=200 u=900}length_l",
            "{!terms f=year_i}1999,2003,2005",
            "{!prefix f=first_s}d");

    private final Random random;
    private final List<Document> documents;

    /** Generator with this source of randomness. */
    public SearchQueryGenerator(Random random, List<Document> documents) {
        this.random = random;
        this.documents = documents;
    }

    String next() {
        StringBuilder query = new StringBuilder("q=").append(escape(main()));
        if (chance(3)) {
            query.append("&fq=").append(escape(any(FILTERS)));
        }
        if (chance(6)) {
            query.append("&fq=").append(escape("text:" + word()));
        }
        query.append("&sort=").append(any(SORTS)).append("&fl=").append(any(LISTS));
        query.append("&rows=").append(any(List.of(0, 1, 5, 10, 50)));
        if (chance(3)) {
            query.append("&start=").append(any(List.of(0, 1, 7, 40, 5000)));
        }
        if (chance(2)) {
            query.append(facets());
        }
        return query.toString();
    }

    String main() {
        return switch (random.nextInt(11)) {
            case 0 -> "*:*";
            case 1 -> "text:" + word() + " AND text:" + word();
            case 2 -> "text:(" + word() + " OR " + word() + ") -title:" + word();
            case 3 -> "text:\"" + phrase() + "\"";
            case 4 -> "text:\"" + phrase() + "\"~4";
            case 5 -> "text:" + prefix() + "*";
            case 6 -> "words_ss:" + word() + " year_i:" + (1996 + random.nextInt(11));
            case 7 -> "{!edismax qf=\"text title^2\" mm=2}" + word() + " " + word() + " " + word();
            case 8 -> "text:" + longWord() + "~1";
            case 9 -> "-text:" + word() + " -year_i:" + (1996 + random.nextInt(11));
            default -> "+text:" + word() + " +length_l:[" + random.nextInt(400) + " TO 900]";
        };
    }

    private String facets() {
        StringBuilder facets = new StringBuilder("&facet=true");
        String field = any(FACETS);
        facets.append("&facet.field=").append(field);
        if (chance(3)) {
            facets.append(field.equals("even_b") ? "" : "&facet.field=even_b");
        }
        facets.append("&facet.limit=").append(any(List.of(-1, 1, 3, 10, 100)));
        facets.append("&facet.mincount=").append(any(List.of(0, 1, 2, 3)));
        if (chance(2)) {
            facets.append("&facet.sort=").append(any(List.of("count", "index")));
        }
        if (chance(4)) {
            facets.append("&f.").append(field).append(".facet.offset=").append(any(List.of(1, 5)));
        }
        if (chance(4) && (field.equals("first_s") || field.equals("words_ss"))) {
            facets.append("&f.").append(field).append(".facet.prefix=").append(any(List.of("d", "a", "zz")));
        }
        return facets.toString();
    }

    String word() {
        List<String> words = words();
        return words.get(random.nextInt(words.size()));
    }

    /** A rare word for a fuzzy query. Such a query examines 50 terms per core, as in SolrCloud; only a rare word always has fewer. */
    String longWord() {
        String word = word();
        while (word.length() < 7) {
            word = word();
        }
        return word;
    }

    String phrase() {
        List<String> words = words();
        int at = random.nextInt(words.size() - 1);
        return words.get(at) + " " + words.get(at + 1);
    }

    private String prefix() {
        String word = word();
        return word.substring(0, Math.min(3, word.length()));
    }

    /** The words of a random document; at least two. */
    private List<String> words() {
        List<String> words = new ArrayList<>();
        while (words.size() < 2) {
            words.clear();
            Object text = any(documents).fields().get("text");
            for (String word : String.valueOf(text).toLowerCase(Locale.ROOT).split("[^a-z]+")) {
                if (word.length() > 1 && !List.of("or", "and", "not", "to").contains(word)) {
                    words.add(word);
                }
            }
        }
        return words;
    }

    private boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** The text with URL encoding. */
    public static String escape(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
