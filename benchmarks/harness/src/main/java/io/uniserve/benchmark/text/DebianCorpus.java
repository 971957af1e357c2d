package io.uniserve.benchmark.text;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * English texts that Debian's package manager installs: the GCIDE dictionary ({@code dict-gcide}), the glosses of WordNet ({@code
 * wordnet-base}), and the package descriptions in apt's lists. The three alternate, so that the first documents are a sample of all.
 */
final class DebianCorpus {
    private static final Path GCIDE = Path.of("/usr/share/dictd/gcide.dict.dz");
    private static final Path GCIDE_INDEX = Path.of("/usr/share/dictd/gcide.index");
    private static final Path WORDNET = Path.of("/usr/share/wordnet");
    private static final Path APT_LISTS = Path.of("/var/lib/apt/lists");
    private static final String APT_HELPER = "/usr/lib/apt/apt-helper";
    private static final String DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    private DebianCorpus() {}

    /** True if the packages are installed. */
    static boolean isInstalled() {
        return Files.isReadable(GCIDE) && Files.isReadable(GCIDE_INDEX) && Files.isDirectory(WORDNET);
    }

    static TextCorpus read() {
        if (!isInstalled()) {
            throw UniserveException.invalid(
                    "the English texts are not installed: apt-get install dict-gcide wordnet-base, or use --corpus"
                            + " europarl");
        }
        try {
            List<TextDocument> dictionary = dictionary();
            List<TextDocument> glosses = glosses();
            List<TextDocument> packages = packages();
            String source = "English, installed by apt: " + dictionary.size() + " entries of dict-gcide, "
                    + glosses.size() + " glosses of wordnet-base, " + packages.size()
                    + " descriptions of packages in apt's lists";
            return new TextCorpus(source, interleave(List.of(dictionary, glosses, packages)));
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read the English texts: " + e.getMessage(), e);
        }
    }

    private static List<TextDocument> interleave(List<List<TextDocument>> parts) {
        int longest = parts.stream().mapToInt(List::size).max().orElse(0);
        List<TextDocument> all = new ArrayList<>();
        for (int i = 0; i < longest; i++) {
            for (List<TextDocument> part : parts) {
                if (i < part.size()) {
                    all.add(part.get(i));
                }
            }
        }
        return all;
    }

    /** Returns every entry once, although several words may refer to it. Its topic is its first letter. */
    private static List<TextDocument> dictionary() throws IOException {
        byte[] text;
        try (InputStream in = new GZIPInputStream(Files.newInputStream(GCIDE), 1 << 16)) {
            text = in.readAllBytes();
        }
        List<TextDocument> documents = new ArrayList<>();
        Set<Integer> seen = new HashSet<>();
        for (String line : Files.readAllLines(GCIDE_INDEX, StandardCharsets.UTF_8)) {
            String[] parts = line.split("\t");
            int from = number(parts[1]);
            if (!parts[0].isBlank() && seen.add(from)) {
                String entry = new String(text, from, number(parts[2]), StandardCharsets.UTF_8);
                String letter = parts[0].substring(0, 1).toLowerCase(java.util.Locale.ROOT);
                documents.add(new TextDocument("g" + from, "letter " + letter, entry.strip()));
            }
        }
        return documents;
    }

    private static int number(String digits) {
        int value = 0;
        for (int i = 0; i < digits.length(); i++) {
            value = value * 64 + DIGITS.indexOf(digits.charAt(i));
        }
        return value;
    }

    /** Returns one gloss per set of synonyms: {@code offset lexicographer's-file ... | gloss}. Its topic is its part of speech and file. */
    private static List<TextDocument> glosses() throws IOException {
        List<TextDocument> documents = new ArrayList<>();
        for (String kind : List.of("noun", "verb", "adj", "adv")) {
            for (String line : Files.readAllLines(WORDNET.resolve("data." + kind), StandardCharsets.UTF_8)) {
                int bar = line.indexOf(" | ");
                if (bar > 0 && !line.startsWith(" ")) {
                    String[] words = line.substring(0, bar).split(" ");
                    String text = words[4].replace('_', ' ') + ": "
                            + line.substring(bar + 3).strip();
                    documents.add(new TextDocument("w" + kind + words[0], kind + " " + words[1], text));
                }
            }
        }
        return documents;
    }

    /** Returns the name and description of every package once; its topic is its section. Empty without apt. */
    private static List<TextDocument> packages() throws IOException {
        List<TextDocument> documents = new ArrayList<>();
        if (!Files.isExecutable(Path.of(APT_HELPER)) || !Files.isDirectory(APT_LISTS)) {
            return documents;
        }
        Set<String> seen = new HashSet<>();
        try (Stream<Path> lists = Files.list(APT_LISTS)) {
            for (Path list : (Iterable<Path>)
                    lists.filter(file -> file.toString().contains("_Packages")).sorted()::iterator) {
                packages(list, seen, documents);
            }
        }
        return documents;
    }

    private static void packages(Path list, Set<String> seen, List<TextDocument> documents) throws IOException {
        Process helper = new ProcessBuilder(APT_HELPER, "cat-file", list.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(helper.getInputStream(), StandardCharsets.UTF_8))) {
            Map<String, String> fields = new HashMap<>();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int colon = line.indexOf(": ");
                if (line.isEmpty()) {
                    add(fields, seen, documents);
                    fields.clear();
                } else if (colon > 0 && line.charAt(0) != ' ') {
                    fields.put(line.substring(0, colon), line.substring(colon + 2));
                }
            }
            add(fields, seen, documents);
        }
    }

    private static void add(Map<String, String> fields, Set<String> seen, List<TextDocument> documents) {
        String name = fields.getOrDefault("Package", "");
        if (!name.isEmpty() && seen.add(name)) {
            documents.add(new TextDocument(
                    "p" + name,
                    fields.getOrDefault("Section", "none"),
                    name + ": " + fields.getOrDefault("Description", "")));
        }
    }
}
