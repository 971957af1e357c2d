package io.uniserve.security;

import java.nio.file.Path;

/**
 * Files of an issued certificate, in PEM: for the settings of section {@code tls}.
 *
 * @param certificate the certificate and that of its authority
 * @param key private key, PKCS#8, readable by its owner only
 * @param trust certificate of the authority
 */
public record CertificateFiles(Path certificate, Path key, Path trust) {}
