package io.uniserve.port.solr.query;

import io.uniserve.error.UniserveException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Texts of Solr's request parameters: escapes, separators and sort orders. Stateless. */
public final class ParameterTextEncoder {
    private static final Pattern NOT_ASCII = Pattern.compile("[^\\p{ASCII}]+");

    private ParameterTextEncoder() {}

    /** Adds URL escapes for all characters that are not ASCII, so that users may omit them. */
    public static String escaped(String text) {
        return NOT_ASCII
                .matcher(text.strip())
                .replaceAll(found -> URLEncoder.encode(found.group(), StandardCharsets.UTF_8));
    }

    /** A separator that occurs in none of the texts; UNSUPPORTED if every candidate occurs. */
    public static String between(List<String> texts) {
        return IntStream.rangeClosed('\ue000', '\uf8ff')
                .mapToObj(Character::toString)
                .filter(one -> texts.stream().noneMatch(text -> text.contains(one)))
                .findFirst()
                .orElseThrow(() -> UniserveException.unsupported(
                        "texts that have all of U+E000 to U+F8FF: ask for fewer of them"));
    }

    /**
     * Appends the key to a sort order such as {@code price desc}, so that the order of ties does not depend on the distribution of rows.
     */
    public static String tied(String order, String key) {
        boolean byKey = order.contains(key) && order.matches("(?si)(.*,)?\\s*\\Q" + key + "\\E\\s+(asc|desc)\\b.*");
        return byKey ? order : (order.isBlank() ? "score desc" : order) + "," + key + " asc";
    }
}
