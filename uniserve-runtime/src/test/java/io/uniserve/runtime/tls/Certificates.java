package io.uniserve.runtime.tls;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Self-signed certificates from the JDK's keytool, as PEM files. */
public final class Certificates {
    private static final String PASSWORD = "password";

    private Certificates() {}

    /** TLS files of a process that trusts the certificate of another. */
    public static TlsFiles files(Path directory, String name, String trusted, boolean requireClient) {
        return new TlsFiles(
                true,
                Optional.of(directory.resolve(name + ".pem")),
                Optional.of(directory.resolve(name + ".key")),
                Optional.of(directory.resolve(trusted + ".pem")),
                requireClient);
    }

    /** Creates NAME.pem and NAME.key for localhost. */
    public static void make(Path directory, String name)
            throws IOException, InterruptedException, GeneralSecurityException {
        make(directory, name, "dns:localhost,ip:127.0.0.1");
    }

    /** Creates NAME.pem and NAME.key with these alternative names, in the form of keytool. */
    public static void make(Path directory, String name, String alternativeNames)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path store = directory.resolve(name + ".p12");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "k",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=" + name));
        command.addAll(List.of(
                "-ext", "SAN=" + alternativeNames, "-validity", "2", "-storetype", "PKCS12", "-storepass", PASSWORD));
        command.addAll(List.of("-keystore", store.toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(name + ".log").toFile())
                .start();
        if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IOException("keytool failed: " + Files.readString(directory.resolve(name + ".log")));
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = new FileInputStream(store.toFile())) {
            keys.load(in, PASSWORD.toCharArray());
        }
        pem(
                directory.resolve(name + ".pem"),
                "CERTIFICATE",
                keys.getCertificate("k").getEncoded());
        pem(
                directory.resolve(name + ".key"),
                "PRIVATE KEY",
                keys.getKey("k", PASSWORD.toCharArray()).getEncoded());
    }

    private static void pem(Path file, String type, byte[] bytes) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        Files.writeString(file, "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
    }
}
