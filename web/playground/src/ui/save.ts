/** Offers a file to the person, as browsers do for downloads. */
export function saveFile(name: string, parts: BlobPart[], type = 'application/octet-stream'): void {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken the bytes by the time that anybody can press again.
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, 60_000);
}
