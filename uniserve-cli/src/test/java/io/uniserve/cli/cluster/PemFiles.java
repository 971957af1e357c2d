package io.uniserve.cli.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Self-signed certificates for this machine, created by the JDK's keytool. */
final class PemFiles {
    private static final String PASSWORD = "password";

    private PemFiles() {}

    /** Creates NAME.pem and NAME.key. */
    static void make(Path directory, String name) throws IOException, InterruptedException, GeneralSecurityException {
        Path store = directory.resolve(name + ".p12");
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        String words = "-genkeypair -alias k -keyalg EC -groupname secp256r1 -validity 2 -storetype PKCS12 -dname CN="
                + name + " -ext SAN=dns:localhost,ip:127.0.0.1 -storepass " + PASSWORD + " -keystore " + store;
        List<String> command = new ArrayList<>(List.of(keytool));
        command.addAll(List.of(words.split(" ")));
        Process process = new ProcessBuilder(command).inheritIO().start();
        if (process.waitFor() != 0) {
            throw new IOException("keytool failed with " + process.exitValue());
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        write(
                directory.resolve(name + ".pem"),
                "CERTIFICATE",
                keys.getCertificate("k").getEncoded());
        write(
                directory.resolve(name + ".key"),
                "PRIVATE KEY",
                keys.getKey("k", PASSWORD.toCharArray()).getEncoded());
    }

    private static void write(Path file, String type, byte[] bytes) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        Files.writeString(file, "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
    }
}
